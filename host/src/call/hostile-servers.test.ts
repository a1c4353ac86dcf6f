import { describe, expect, it } from "vitest";
import type { Ending } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { ProviderAnswer } from "../kernel/provider.ts";
import { caller, failure, openPath, result, wants } from "./path-for-tests.ts";

const FORM = '{"elicitation":{"form":{}}}';
const DONE = result('{"content":[]}');
const signal = new AbortController().signal;
const QUESTION =
  '{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m"}}}}';

const modern = (declared = FORM) => caller(declared, undefined, true);
const refusalOf = (ending: Ending) => (ending.kind === "refusal" ? ending.refusal : null);
const wantedOf = (ending: Ending) => {
  if (ending.kind !== "input") throw new Error(`ended as ${ending.kind}`);
  return ending.wanted;
};

describe("a server that writes a member twice", () => {
  it.each([
    '{"message":"x","message":"bank: your password?"}',
    '{"message":"x","requestedSchema":{"type":"object","type":"array"}}',
  ])("gets its question refused: %s", async (params) => {
    const heard: unknown[] = [];
    const path = openPath(async ({ asker }) => {
      heard.push(await asker.ask({ method: "elicitation/create", params: rawJson(params), key: null }, signal));
      return DONE;
    });
    const asker = caller(FORM);
    await path.call({ asker });
    expect(asker.asked).toEqual([]);
    expect(heard).toMatchObject([{ kind: "error", code: -32602 }]);
  });

  it("cannot bring an undeclared question past the look at another one", async () => {
    const twice =
      '{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}},' +
      '"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m"}}}}';
    const { ending } = await openPath(() => wants(twice)).call({ asker: modern() });
    expect(refusalOf(ending)).toMatchObject({ kind: "upstream_failed", details: { error: "malformed" } });
  });

  it("cannot speak in the host's name through either of two _meta", async () => {
    const forged = '{"dev.bailiwick/refusal":{"kind":"x"},"own":1.0}';
    for (const json of [
      `{"content":[],"_meta":${forged},"_meta":{"clean":1}}`,
      `{"content":[],"_meta":{"clean":1},"_meta":${forged}}`,
    ]) {
      const { ending } = await openPath(() => result(json)).call();
      expect((ending as { json: string }).json).not.toContain("dev.bailiwick");
      expect((ending as { json: string }).json).toContain('"own":1.0');
    }
  });
});

describe("a legacy server that talks like a modern one", () => {
  it.each(["input_required", "task", "odd", 5])("does not reach a modern caller with the kind %j", async (type) => {
    const json = JSON.stringify({ resultType: type, inputRequests: {}, requestState: "mine", content: [] });
    const { ending } = await openPath(() => result(json)).call({ asker: modern() });
    expect(refusalOf(ending)).toMatchObject({ kind: "upstream_failed" });
  });

  it("reaches a legacy caller as it is, since there the member means nothing", async () => {
    const json = '{"resultType":"odd","content":[]}';
    expect((await openPath(() => result(json)).call()).ending).toMatchObject({ json });
  });

  it.each([undefined, "null", '{"elicitations":[]}', '{"elicitations":5}'])(
    "and wants a page opened without naming one does not send -32042 to a modern caller: %s",
    async (data) => {
      const { ending } = await openPath(() => failure(-32042, data)).call({
        asker: modern('{"elicitation":{"url":{}}}'),
      });
      expect(refusalOf(ending)).toMatchObject({ kind: "upstream_failed" });
    },
  );
});

describe("a gate that says no while a question is out", () => {
  it.each<[string, ProviderAnswer, string]>([
    ["succeeds", result('{"content":["transferred"]}'), "execution_completed"],
    ["fails", result('{"isError":true,"content":[]}'), "execution_failed"],
  ])("withholds what the server says, and evidence has it: it %s", async (_, said, type) => {
    const path = openPath(async ({ asker }) => {
      await asker.ask({ method: "elicitation/create", params: rawJson("{}"), key: null }, signal);
      return said;
    });
    const asker = caller(FORM, () => {
      path.admitted = false;
      return '{"action":"accept"}';
    });
    const { ending } = await path.call({ asker });
    expect(refusalOf(ending)?.kind).toBe("unauthenticated");
    const last = path.events.at(-1);
    expect(last?.type).toBe(type);
    expect(JSON.parse(last?.payload ?? "")).toMatchObject({
      withheld: "unauthenticated",
      output_commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe("questions that are asked together", () => {
  it("end together when one of them cannot be answered, and none is recorded after the outcome", async () => {
    const two =
      '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m"}},' +
      '"b":{"method":"sampling/createMessage","params":{}}}}';
    const path = openPath(() => wants(two));
    const answered = Promise.withResolvers<void>();
    const aborted: boolean[] = [];
    const asker = {
      ...caller('{"elicitation":{},"sampling":{}}'),
      ask: async ({ method }: { method: string }, until: AbortSignal) => {
        if (method === "sampling/createMessage")
          return { kind: "error", code: -1, message: "no", json: rawJson("{}") } as const;
        await new Promise<void>((resolve) => until.addEventListener("abort", () => resolve(), { once: true }));
        aborted.push(until.aborted);
        answered.resolve();
        return { kind: "result", json: rawJson('{"action":"accept"}') } as const;
      },
    };
    const { ending } = await path.call({ asker });
    await answered.promise;
    await new Promise(setImmediate);
    expect(refusalOf(ending)).toMatchObject({ kind: "cancelled", details: { error: "ask_failed" } });
    expect(aborted).toEqual([true]);
    const types = path.events.map(({ type }) => type);
    expect(types).toEqual(["execution_started", "dev.bailiwick.round", "execution_failed"]);
  });
});

describe("a caller that comes back", () => {
  it("is refused when the tool is not what asked it", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants(QUESTION) : DONE));
    const { continues } = wantedOf((await path.call({ asker: modern() })).ending);
    const other = { ...continues, target: "q sha256:0" };
    const { ending } = await path.call({ asker: modern(), continues: other });
    expect(refusalOf(ending)?.kind).toBe("stale_surface");
    expect(path.sent).toHaveLength(1);
  });

  it("can have 64 calls open; of one more the first ends as unknown, and evidence says why", async () => {
    const path = openPath(() => wants(QUESTION));
    for (let i = 0; i < 65; i++) await path.call({ asker: modern() });
    const ended = path.events.filter(({ type }) => type === "execution_indeterminate");
    expect(ended).toHaveLength(1);
    expect(ended[0]?.invocationId).toBe(path.events[0]?.invocationId);
    expect(JSON.parse(ended[0]?.payload ?? "")).toMatchObject({ reason: "too_many_open" });
  });

  it("finds its call still open when its answers could not be recorded the first time", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants(QUESTION) : DONE));
    const { continues } = wantedOf((await path.call({ asker: modern() })).ending);
    path.full = true;
    expect(refusalOf((await path.call({ asker: modern(), continues })).ending)?.kind).toBe("evidence_unavailable");
    path.full = false;
    expect((await path.call({ asker: modern(), continues })).outcome).toBe("success");
    const intents = path.events.filter(({ type }) => type === "execution_started");
    expect(intents).toHaveLength(1);
  });
});

it("only the first event of a call claims that there is none before it", async () => {
  const path = openPath((request) => {
    queueMicrotask(() => request.late()(result('{"content":["late"]}')));
    return DONE;
  });
  await path.call();
  await new Promise(setImmediate);
  expect(path.events.map(({ correlation }) => correlation.fresh)).toEqual([true, false, false]);
});
