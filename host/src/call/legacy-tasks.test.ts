import { describe, expect, it } from "vitest";
import type { RawCall } from "../kernel/call.ts";
import type { ProviderRequest } from "../kernel/provider.ts";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { caller, failure, openPath, result, type Answering } from "./path-for-tests.ts";
import { refusalOf, types } from "./tasks-for-tests.ts";

const CALL: Partial<RawCall> = { name: "p__only-task", args: { n: 1 }, argsJson: rawJson('{"n":1.0}') };
const MADE = result('{"task":{"taskId":"old-1","status":"working","pollInterval":100},"_meta":{}}');
const at = (status: string) => result(`{"taskId":"old-1","status":"${status}","pollInterval":100}`);

/** A tool that runs only as a task; `answer` says how that goes. */
const legacy =
  (answer: Answering): Answering =>
  (request, nth) =>
    request.method === "tools/call" ? MADE : answer(request, nth);

const methods = (sent: readonly ProviderRequest[]): string[] => sent.map(({ method }) => method);

describe("a tool of a legacy server that runs only as a task", () => {
  it("is an ordinary call that takes long: the host asks for the task, follows it and fetches its result", async () => {
    const states = [at("working"), at("working"), at("completed")];
    const path = openPath(
      legacy(({ method }) => (method === "tasks/get" ? states.shift()! : result('{"content":[],"n":1.0}'))),
    );
    const { ending } = await path.call(CALL);
    expect(ending).toEqual({ kind: "result", json: '{"content":[],"n":1.0}', isError: false });
    expect(path.sent[0]?.params).toBe('"name":"only-task","arguments":{"n":1.0},"task":{"ttl":1800000}');
    expect(methods(path.sent)).toEqual(["tools/call", "tasks/get", "tasks/get", "tasks/get", "tasks/result"]);
    expect(path.sent[4]?.params).toBe('"taskId":"old-1"');
    expect(types(path)).toEqual(["execution_started", "execution_completed"]);
  });

  it("may also answer at once", async () => {
    const path = openPath(() => result('{"content":[],"task":{"taskId":"x"}}'));
    expect((await path.call(CALL)).ending).toMatchObject({ json: '{"content":[],"task":{"taskId":"x"}}' });
    expect(path.sent).toHaveLength(1);
  });

  it("asks its caller while the host waits for its result", async () => {
    const path = openPath(
      legacy(async ({ method, asker, signal }) => {
        if (method === "tasks/get") return at("input_required");
        const params = rawJson('{"message":"Sure?"}');
        const answer = await asker.ask({ method: "elicitation/create", params, key: null }, signal);
        return result(`{"content":[],"heard":${answer.json}}`);
      }),
    );
    const asker = caller('{"elicitation":{}}');
    const { ending } = await path.call({ ...CALL, asker });
    expect(ending).toMatchObject({ json: '{"content":[],"heard":{"action":"accept"}}' });
    expect(asker.asked[0]?.params).toBe('{"message":"p: Sure?"}');
    expect(types(path)).toEqual(["execution_started", "dev.bailiwick.round", "execution_completed"]);
  });

  it.each([
    ["an error of its own", at("failed"), failure(-32000), "error"],
    ["a tool's error", at("failed"), result('{"content":[],"isError":true}'), "result"],
  ])("ends with %s as it came", async (_, state, said, kind) => {
    const path = openPath(legacy(({ method }) => (method === "tasks/get" ? state : said)));
    expect((await path.call(CALL)).ending).toMatchObject({ kind, json: said.json });
    expect(types(path).at(-1)).toBe("execution_failed");
  });

  it("ends as unknown when its server forgot the task", async () => {
    const path = openPath(legacy(() => failure(-32602)));
    expect(refusalOf(await path.call(CALL))).toBe("indeterminate");
  });

  it.each([
    ["when it is asked how far it is", "tasks/get"],
    ["when it is asked for the result", "tasks/result"],
  ])("ends as unknown, not as one that was never sent, when its server is away %s", async (_, away) => {
    const path = openPath(
      legacy(({ method }) => {
        if (method !== away) return at("completed");
        throw new Refusal("not_ready", { message: "It is away.", next: "Wait." });
      }),
    );
    expect(refusalOf(await path.call(CALL))).toBe("indeterminate");
    expect(types(path)).toEqual(["execution_started", "execution_indeterminate"]);
  });

  it("is cancelled at its server when the caller cancels", async () => {
    const left = new AbortController();
    const path = openPath(
      legacy(({ method }) => {
        if (method === "tasks/cancel") return at("cancelled");
        left.abort();
        return at("working");
      }),
    );
    expect(refusalOf(await path.call({ ...CALL, signal: left.signal }))).toBe("cancelled");
    expect(methods(path.sent)).toEqual(["tools/call", "tasks/get", "tasks/cancel"]);
  });
});

describe("any other tool", () => {
  it("is sent no word of tasks, and a result that speaks of one is a result", async () => {
    const path = openPath(() => MADE);
    expect((await path.call()).ending).toMatchObject({ kind: "result", json: MADE.json });
    expect(path.sent[0]?.params).toBe('"name":"t"');
    expect(path.sent).toHaveLength(1);
  });

  it("is not made a task by a caller that asks for one: the request says that the host did not", async () => {
    const path = openPath(() => MADE);
    const { ending } = await path.call({ extraParams: rawMembers('"task":{"ttl":1.0}') });
    expect(ending).toMatchObject({ kind: "result", json: MADE.json });
    expect(path.sent).toHaveLength(1);
    expect(path.sent[0]).toMatchObject({ params: '"name":"t","task":{"ttl":1.0}' });
    expect(path.sent[0]?.asTask).toBeUndefined();
  });
});
