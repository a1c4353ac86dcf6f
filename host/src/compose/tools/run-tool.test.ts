import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { ComposeError } from "../compose-error.ts";
import { ask, openPlace, READER } from "../resources/provider-for-tests.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const SECRET = "/home/maya/.ssh/id_ed25519";

const tool = (run: ComposeTool["run"], over: Partial<ComposeTool> = {}): ComposeTool => ({
  name: "generate_content",
  title: "Generate",
  category: "content",
  description: "Makes a text.",
  inputSchema: { type: "object" },
  outputSchema: answerSchema({ content: { type: "string" } }),
  annotations: { readOnlyHint: false },
  guide: { examples: [], common_errors: [], typical_ms: "1-2" },
  timeoutMs: 30_000,
  run,
  ...over,
});

const call = async (given: ComposeTool, signal?: AbortSignal) => {
  const { provider, bugs } = openPlace({ tools: [given] });
  const asking = {
    method: "tools/call",
    endpoint: "compose",
    params: `"name":"${given.name}","arguments":{"a":1}`,
  } as const;
  const answer = await ask(provider, given.name, signal === undefined ? asking : { ...asking, signal });
  if (answer.kind !== "result") throw new Error(answer.kind);
  expect(JSON.parse(answer.json)).toEqual(answer.value);
  const { content, structuredContent } = answer.value as { content: { text: string }[]; structuredContent: any };
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  expect(answer.value["isError"] ?? false).toBe(answer.isError);
  return { told: structuredContent, isError: answer.isError, bugs };
};

/** Runs until it is told to end. */
const endless = (heard: unknown[] = []): ComposeTool["run"] => {
  return (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        heard.push(signal.reason);
        reject(new Error(SECRET));
      });
    });
};

describe("what a tool of compose answers", () => {
  it("is marked as a success, between success and duration_ms", async () => {
    const run: ComposeTool["run"] = (args, { caller }) => Promise.resolve({ content: "x", args, who: caller.id });
    const { told, isError } = await call(tool(run));
    expect(Object.keys(told)).toEqual(["success", "content", "args", "who", "duration_ms"]);
    expect(told).toMatchObject({ success: true, content: "x", args: { a: 1 }, who: READER.id });
    expect(told.duration_ms).toBeGreaterThanOrEqual(0);
    expect(isError).toBe(false);
  });

  it("is a failure with code, message and details where it says no", async () => {
    const details = { config_id: "x", next: 'generate_content {"content_config_id":"intro"}' };
    const error = new ComposeError("config_not_found", "There is none.", details);
    const { told, isError, bugs } = await call(tool(() => Promise.reject(error)));
    const no = { code: "config_not_found", message: "There is none.", details };
    expect(told).toEqual({ success: false, error: no });
    expect(isError).toBe(true);
    expect(bugs).toEqual([]);
  });

  it("is a failure with all that it has to say where it says success:false itself", async () => {
    const error = { code: "generation_failed", message: "All failed.", details: { failed: 2 } };
    const run: ComposeTool["run"] = () =>
      Promise.resolve({ success: false, status: "batch_failed", results: [1, 2], error });
    const { told, isError } = await call(tool(run));
    expect(Object.keys(told)).toEqual(["success", "status", "results", "error", "duration_ms"]);
    expect(told).toMatchObject({ success: false, status: "batch_failed", error });
    expect(isError).toBe(true);
  });

  it.each<[string, ComposeTool["run"]]>([
    ["throws", () => Promise.reject(new Error(SECRET))],
    [
      "throws at once",
      () => {
        throw new Error(SECRET);
      },
    ],
    ["fails without a reason", () => Promise.resolve({ success: false, path: SECRET })],
    ["answers with what is no JSON", () => Promise.resolve({ path: SECRET, big: 1n })],
  ])("says of a tool that %s that there is a fault, not which, and reports it", async (_how, run) => {
    const { told, isError, bugs } = await call(tool(run));
    expect(told).toMatchObject({ success: false, error: { code: "internal_error" } });
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(isError).toBe(true);
    expect(bugs).toHaveLength(1);
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await call(tool(() => Promise.resolve({})));
    await call(tool(() => Promise.reject(new ComposeError("queue_full", "Full."))));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is the host's refusal where there is one", async () => {
    const refusal = new Refusal("quota_exceeded", { message: "Full.", next: "Remove something." });
    await expect(call(tool(() => Promise.reject(refusal)))).rejects.toBe(refusal);
  });
});

describe("a tool that takes too long", () => {
  it.each([
    [["config_not_found", "generation_timeout"], "generation_timeout"],
    [["draft_not_found", "test_execution_failed"], "test_execution_failed"],
    [["content_missing", "assembly_failed"], "assembly_failed"],
    [["save_failed"], "internal_error"],
  ])("of the codes %j answers with %s, and its work is told to end", async (codes, code) => {
    const heard: unknown[] = [];
    const guide = { examples: [], common_errors: codes.map((each) => ({ code: each, message: "" })), typical_ms: "1" };
    const { told, isError, bugs } = await call(tool(endless(heard), { guide, timeoutMs: 5 }));
    const details = { tool: "generate_content", timeout_ms: 5, next: expect.stringContaining("may have been done") };
    const message = "generate_content took longer than 5 ms and was ended.";
    expect(told).toEqual({ success: false, error: { code, message, details } });
    expect(isError).toBe(true);
    expect(heard).toMatchObject([{ code }]);
    expect(bugs).toEqual([]);
  });

  it("is left behind where it does not heed that", async () => {
    const { told } = await call(
      tool(() => new Promise(() => {}), { timeoutMs: 5, annotations: { readOnlyHint: true } }),
    );
    expect(told.error).toMatchObject({ code: "internal_error", details: { next: "Make the call again." } });
  });
});

describe("a call that its caller gives up", () => {
  it.each([
    [{ readOnlyHint: true }, "cancelled"],
    [{ readOnlyHint: false }, "indeterminate"],
    [{}, "indeterminate"],
  ])("ends the tool; with %j it is %s", async (annotations, kind) => {
    const heard: unknown[] = [];
    const stop = new AbortController();
    const run: ComposeTool["run"] = (args, given) => {
      queueMicrotask(() => stop.abort());
      return endless(heard)(args, given);
    };
    await expect(call(tool(run, { annotations }), stop.signal)).rejects.toMatchObject({ kind });
    expect(heard).toHaveLength(1);
  });

  it("is not begun where that was before it", async () => {
    let ran = false;
    const run: ComposeTool["run"] = () => {
      ran = true;
      return Promise.resolve({});
    };
    await expect(call(tool(run), AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
    expect(ran).toBe(false);
  });
});

describe("the tools of compose", () => {
  it("are listed as they are defined, and one that there is not is refused", async () => {
    const given = tool(() => Promise.resolve({}));
    const { provider } = openPlace({ tools: [given] });
    const { name, title, description, inputSchema, outputSchema, annotations } = given;
    const [listed] = provider.catalogue().tools;
    expect(listed?.value).toEqual({ name, title, description, inputSchema, outputSchema, annotations });
    for (const other of ["nothing", "__proto__", ""])
      await expect(ask(provider, other, { method: "tools/call" })).rejects.toMatchObject({ kind: "upstream_failed" });
  });
});
