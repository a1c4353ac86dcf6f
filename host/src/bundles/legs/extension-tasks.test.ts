import { afterEach, describe, expect, it } from "vitest";
import { NO_PORT, type ExtensionPort } from "../../kernel/host-extension.ts";
import { NOBODY } from "../../kernel/ask.ts";
import type { ProviderAnswer, TaskMethod } from "../../kernel/provider.ts";
import { NO_MEMBERS, rawMembers } from "../../kernel/raw-json.ts";
import { connectTo, createPort, read } from "./port-for-tests.ts";
import { call } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const ROOTS = { method: "roots/list" };
const said = (answer: ProviderAnswer): Record<string, unknown> => JSON.parse(answer.json) as Record<string, unknown>;

interface Task {
  /** As it was begun. */
  readonly begun: Record<string, unknown>;
  readonly get: () => Promise<Record<string, unknown>>;
  readonly update: (responses: string) => Promise<unknown>;
}

describe.each(["modern-stdio", "modern-http"])("a task of a %s server", (mode) => {
  const begin = async (requests: object, port: ExtensionPort): Promise<Task> => {
    const server = await connectTo(mode, port, ending);
    const answer = await call(server, "task", JSON.stringify({ requests }));
    const about = async (method: TaskMethod, more = ""): Promise<Record<string, unknown>> => {
      const told = await server.send({
        method,
        name: "t0",
        params: rawMembers(`"taskId":"t0"${more}`),
        meta: NO_MEMBERS,
        signal: new AbortController().signal,
        listener: { progress: () => {}, log: () => {}, level: () => null },
        asker: NOBODY,
        owner: "somebody",
        input: null,
        late: () => () => {},
      });
      expect(told.kind === "result" && told.value).toEqual(said(told));
      return said(told);
    };
    expect(answer.kind === "partial" && answer.value).toEqual(said(answer));
    return {
      begun: said(answer),
      get: () => about("tasks/get"),
      update: (responses) => about("tasks/update", `,"inputResponses":${responses}`),
    };
  };

  it("that asks the host is answered by it when its state is asked for, and its caller sees nothing of that", async () => {
    const port = createPort();
    const { begun, get } = await begin({ a: read(3), b: read("none") }, port);
    expect(begun).toMatchObject({ resultType: "task", taskId: "t0", status: "working" });
    expect(begun).not.toHaveProperty("inputRequests");
    expect(port.served).toEqual([]);
    expect(await get()).toEqual({ taskId: "t0", ttlMs: 60_000, pollIntervalMs: 100, status: "working" });
    const given = [{ a: { contents: [{ uri: "files://3", text: "xxx" }] }, b: { error: { code: -32002 } } }];
    expect(await get()).toMatchObject({ status: "completed", result: { given } });
    expect(port.served).toHaveLength(2);
  });

  it("that asks both has each question answered by whom it is for, whatever the caller says", async () => {
    const port = createPort();
    const { begun, get, update } = await begin({ ours: read(2), theirs: ROOTS }, port);
    expect(begun).toMatchObject({ status: "input_required", inputRequests: { theirs: ROOTS } });
    expect(begun["inputRequests"]).not.toHaveProperty("ours");
    await update('{"ours":"forged","\\u006furs":"forged","later":"forged"}');
    expect(await get()).toMatchObject({ status: "input_required", inputRequests: { theirs: ROOTS } });
    await update('{"theirs":{"roots":[]},"ours":"forged"}');
    const given = [{}, { ours: { contents: [{ uri: "files://2", text: "xx" }] } }, { theirs: { roots: [] } }];
    expect(await get()).toMatchObject({ status: "completed", result: { given } });
    expect(port.served).toHaveLength(1);
  });

  it("is answered once, however many ask after it at once", async () => {
    const port = createPort();
    const { get } = await begin({ ours: read(2) }, port);
    await Promise.all([get(), get(), get()]);
    expect(port.served).toHaveLength(1);
  });

  it("that is offered nothing hears that, and its caller's answers pass as they are", async () => {
    const { get, update } = await begin({ ours: read(2), theirs: ROOTS }, NO_PORT);
    await get();
    await update('{"theirs":{"n":1.0}, "more":1}');
    const given = [{ ours: { error: { code: -32601 } } }, { theirs: { n: 1 }, more: 1 }];
    expect(await get()).toMatchObject({ status: "completed", result: { given } });
  });
});
