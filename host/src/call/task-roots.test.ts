/** A task whose server asks for roots: the host answers where they are its to tell, and the caller sees the rest. */
import { afterEach, describe, expect, it } from "vitest";
import type { ListedTool, ProviderRequest } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { rootListOf } from "../kernel/roots-for-tests.ts";
import { openPath, result, type TestPath } from "./path-for-tests.ts";
import { COMPLETED, jsonOf, order, state, taskCaller, tasking } from "./tasks-for-tests.ts";

const HERO = rootListOf({ hero: "/projects/hero" });
const ROOTS = '"r":{"method":"roots/list","params":{}}';
const WHO = '"who":{"method":"elicitation/create","params":{"message":"Who?"}}';
const TASKS = '"extensions":{"io.modelcontextprotocol/tasks":{}}';
const WITH_ROOTS = `{"roots":{},"elicitation":{},${TASKS}}`;

const toolOf = (name: string, required: readonly string[]): ListedTool => {
  const value = { name, inputSchema: { type: "object" }, _meta: { dcc: { required_capabilities: required } } };
  return { name, definition: "sha256:1", json: rawJson(JSON.stringify(value)), value };
};

let path: TestPath;
afterEach(() => path.close());

/** A server whose task asks this until it is told roots. */
const open = (asks: string): void => {
  let isOpen = true;
  const answering = tasking(({ method, params }) => {
    if (method === "tasks/get") return isOpen ? state("input_required", `,"inputRequests":{${asks}}`) : COMPLETED;
    if (params.includes('"r":{"roots"')) isOpen = false;
    return result("{}");
  });
  path = openPath(answering, {
    tools: [toolOf("open", ["filesystem.read"]), toolOf("plain", [])],
    declared: ["filesystem.read"],
    roots: () => HERO,
  });
};
const begin = async (name: string, declared?: string): Promise<string> => {
  const { ending } = await path.call({ name: `p__${name}`, asker: taskCaller(declared) });
  return (JSON.parse(jsonOf(ending)) as { taskId: string }).taskId;
};
const declaring = (declared: string) => ({ declared: taskCaller(declared).declared });
const get = async (id: string, declared?: string): Promise<any> => {
  const { ending } = await path.tasks.get(order(id, declared === undefined ? {} : declaring(declared)));
  return JSON.parse(jsonOf(ending));
};
const updates = (): ProviderRequest[] => path.sent.filter(({ method }) => method === "tasks/update");
const rounds = () =>
  path.events
    .filter(({ type }) => type === "dev.bailiwick.round")
    .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);

describe("a task that asks for roots", () => {
  it.each([
    ["of a tool that works on files", "open", WITH_ROOTS],
    ["of a caller that declared none", "plain", `{"elicitation":{},${TASKS}}`],
  ])("%s is told the host's, once, and its caller sees it at work", async (_, name, declared) => {
    open(ROOTS);
    const id = await begin(name, declared);
    const seen = await get(id, declared);
    expect([seen.status, "inputRequests" in seen, seen.taskId]).toEqual(["working", false, id]);
    await expect.poll(() => updates()).toHaveLength(1);
    expect(updates()[0]?.params).toBe(`"taskId":"up-1","inputResponses":{"r":${HERO.listing}}`);
    await expect.poll(async () => (await get(id, declared)).status).toBe("completed");
    expect(updates()).toHaveLength(1);
    expect(rounds()).toMatchObject([{ method: "roots/list", task: id, answer_commitment: expect.any(String) }]);
  });

  it("and for more shows its caller the rest, and takes no answer to it but the host's", async () => {
    open(`${ROOTS},${WHO}`);
    const id = await begin("open", WITH_ROOTS);
    const told: string[] = [];
    const end = path.tasks.watch({ ...order(id), ...declaring(WITH_ROOTS) }, (members) => told.push(members));
    expect(await get(id, WITH_ROOTS)).toMatchObject({ status: "input_required", inputRequests: { who: {} } });
    await expect.poll(() => told.length).toBeGreaterThan(0);
    end?.();
    expect(JSON.stringify(told)).not.toContain("roots/list");
    await expect.poll(() => updates()).toHaveLength(1);
    const said = rawJson('{"r":{"action":"cancel"},"who":{"action":"accept"}}');
    await path.tasks.update(order(id, declaring(WITH_ROOTS)), said);
    expect(updates()[1]?.params).toBe('"taskId":"up-1","inputResponses":{"who":{"action":"accept"}}');
  });

  it("is followed and told without anybody who asks after it", async () => {
    open(ROOTS);
    await begin("open", WITH_ROOTS);
    await expect.poll(() => path.events.at(-1)?.type).toBe("execution_completed");
    expect(updates()).toHaveLength(1);
  });

  it("is told at a later poll when the log took nothing, and not before", async () => {
    open(ROOTS);
    const id = await begin("open", WITH_ROOTS);
    path.writable = false;
    expect((await get(id, WITH_ROOTS)).status).toBe("working");
    expect(updates()).toEqual([]);
    path.writable = true;
    await expect.poll(() => updates()).toHaveLength(1);
  });

  it("is its caller's to answer for a tool that needs no files, where it declared roots", async () => {
    open(ROOTS);
    const id = await begin("plain", WITH_ROOTS);
    expect(await get(id, WITH_ROOTS)).toMatchObject({ inputRequests: { r: { method: "roots/list" } } });
    expect(updates()).toEqual([]);
  });
});
