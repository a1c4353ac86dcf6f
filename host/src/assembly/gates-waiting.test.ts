/** What waits for a person, in whatever form, when the tool loses a capability: it is taken back, and nothing runs of it. */
import { expect, it } from "vitest";
import { JSON_HEADERS, knock, modern, openSession } from "../transport/client-for-tests.ts";
import { META_CAPABILITIES } from "../transport/protocol.ts";
import { declare, makeGatedPlace, startGated, tool, type GatedPlace, type Json } from "./gated-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const SETTINGS = {
  approvals: { waitSeconds: 30 },
  capabilities: { declared: ["x", "y"] },
  policy: { rules: [{ id: "ask", match: { tools: ["maya__asked"] }, effect: "require_approval" }] },
};
const REASON = "The host no longer declares x.";
const CALL = { name: "maya__asked", arguments: {} };
const TASKS = { [META_CAPABILITIES]: { extensions: { "io.modelcontextprotocol/tasks": {} } } };

interface Waiting {
  readonly place: GatedPlace;
  readonly host: WholeHost;
  /** Over MCP, as the owner. */
  readonly rpc: (method: string, params: Json) => Promise<Json>;
  /** Over REST, as an agent for which the owner decides. */
  readonly ask: () => Promise<{ readonly status: number; readonly json: Json }>;
}

const open = async (): Promise<Waiting> => {
  const place = makeGatedPlace({ tools: [tool("asked", ["x"])], settings: SETTINGS });
  const host = await startGated(place);
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
  const rpc = async (method: string, params: Json): Promise<Json> =>
    (await knock(host.origin, modern(method, { ...params, _meta: TASKS }, headers))).json as Json;
  const { secret } = await host.keys.create({ name: "planner" });
  const ask = (): ReturnType<WholeHost["rest"]> =>
    host.rest("POST", "/v1/tools/call", CALL, { authorization: `Bearer ${secret}` });
  return { place, host, rpc, ask };
};

const pending = async (host: WholeHost, count: number): Promise<void> => {
  await expect.poll(async () => (await host.approvals.list("pending")).length, { timeout: 10_000 }).toBe(count);
};

it("a task that waits for a decision fails, and says what the host no longer declares", async () => {
  const { place, host, rpc } = await open();
  const { result: task } = await rpc("tools/call", CALL);
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  await pending(host, 1);
  await declare(host, "y");
  const state = async (): Promise<Json> => (await rpc("tasks/get", { taskId: task.taskId }))["result"] as Json;
  await expect.poll(async () => (await state())["status"], { timeout: 10_000 }).toBe("failed");
  expect(JSON.stringify(await state())).toContain(REASON);
  expect(await host.approvals.list()).toMatchObject([{ state: "cancelled", reason: REASON }]);
  expect(place.effects()).toEqual([]);
});

it("a session and a REST caller that wait hear that it was taken back", async () => {
  const { place, host } = await open();
  const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
  const waiting = session.call("tools/call", CALL);
  const rest = host.rest("POST", "/v1/tools/call", CALL, { prefer: "wait=30" });
  await pending(host, 2);
  await declare(host, "y");
  const said = [(await waiting).text, JSON.stringify((await rest).json)];
  for (const text of said) expect(text).toMatch(/no longer declares x|capability_missing/);
  expect(place.effects()).toEqual([]);
});

it("a yes that was given and not used yet does not let it run, neither then nor when it may again", async () => {
  const { place, host, ask } = await open();
  expect((await ask()).status).toBe(202);
  const [{ id } = { id: "" }] = await host.approvals.list("pending");
  await host.approvals.decide(id, { approve: true });
  await declare(host, "y");
  await expect.poll(async () => (await host.approvals.get(id)).state).toBe("cancelled");
  expect((await ask()).json).toMatchObject({ error: "capability_missing" });
  await declare(host, "x");
  expect((await ask()).status).toBe(202);
  expect(place.effects()).toEqual([]);
});

it("another capability that goes, or the same one for another provider, leaves it alone", async () => {
  const { place, host, ask } = await open();
  expect((await ask()).status).toBe(202);
  const [{ id } = { id: "" }] = await host.approvals.list("pending");
  await declare(host, "x");
  place.settle({ ...SETTINGS, capabilities: { declared: ["x"], providers: { other: ["x"] } } });
  await host.bundles.reload();
  place.settle({ ...SETTINGS, capabilities: { declared: [], providers: { maya: ["x"] } } });
  await host.bundles.reload();
  expect((await host.approvals.get(id)).state).toBe("pending");
  await host.approvals.decide(id, { approve: true });
  expect((await ask()).status).toBe(200);
  expect(place.effects()).toEqual(["asked"]);
});
