/**
 * A tool of compose as a tool of the host. What it answers is marked as a success or a failure, the same in both forms of a
 * result; it ends within its time; and a bug in it says that there is one, and no more.
 */
import type { BuiltInCall, BuiltInResult, BuiltInTool } from "../../kernel/built-in.ts";
import { HostError } from "../../kernel/host-error.ts";
import { isObject } from "../../kernel/is-object.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { ComposeError, type ComposeCode } from "../compose-error.ts";
import type { ComposeTool } from "./compose-tool.ts";
import { shapeAnswer } from "./shape-answer.ts";

type Answer = Readonly<Record<string, unknown>>;

/** What its time being over is called: the first of these that the tool is known to answer with. */
const TIMEOUT_CODES: readonly ComposeCode[] = ["generation_timeout", "test_execution_failed", "assembly_failed"];

export interface ToolRunning {
  /** Told of bugs. */
  readonly report: (error: unknown) => void;
  /** Of one result. */
  readonly maxResultBytes: number;
  /** Calls that a failure names, as the endpoint has them. */
  readonly named: (told: Answer, endpoint: string | null) => Answer;
}

export const runTool = (tool: ComposeTool, { report, maxResultBytes, named }: ToolRunning): BuiltInTool => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    definition: { name, title, description, inputSchema, outputSchema, annotations },
    async run(args, call) {
      const resultOf = (told: Answer): BuiltInResult =>
        shapeAnswer(told["success"] === false ? named(told, call.facts().endpoint) : told, maxResultBytes);
      const failure = ({ code, message, details }: ComposeError): BuiltInResult =>
        resultOf({ success: false, error: { code, message, details } });
      const began = performance.now();
      try {
        const answer = await runInTime(tool, args, call);
        const ms = performance.now() - began;
        const told = { success: true, ...answer, duration_ms: Math.round(ms * 10) / 10 };
        if (!told.success && !isObject(answer["error"])) throw new HostError(`${name} failed and did not say why`);
        return resultOf(told);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (error instanceof ComposeError) return failure(error);
        report(error);
        return failure(new ComposeError("internal_error", `${name} failed because of a fault of this host.`, ADVICE));
      }
    },
  };
};

const ADVICE = { next: "Make the call again; if it fails again, the log of the host says why." };

/** What does not heed its signal is left behind. */
const runInTime = async (tool: ComposeTool, args: Answer, call: BuiltInCall): Promise<Answer> => {
  const { signal: given } = call;
  const stop = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: Error): void => {
    // First: whoever heeds the signal may answer with another error.
    reject(reason);
    stop.abort(reason);
  };
  const onAbort = (): void => end(givenUp(tool));
  const limitMs = Math.min(tool.timeoutMs, call.limitMs ?? Infinity);
  const timer = setTimeout(() => end(tookTooLong(tool, limitMs)), limitMs);
  given.addEventListener("abort", onAbort, { once: true });
  try {
    if (given.aborted) throw cancelled(tool);
    const { owner, listener, facts } = call;
    const running = tool.run(args, { owner, listener, facts, signal: stop.signal, caller: facts().caller });
    return await Promise.race([ended, running]);
  } finally {
    clearTimeout(timer);
    given.removeEventListener("abort", onAbort);
  }
};

const tookTooLong = (tool: ComposeTool, timeoutMs: number): ComposeError => {
  const { name, guide } = tool;
  const known = TIMEOUT_CODES.find((code) => guide.common_errors.some((each) => each.code === code));
  return new ComposeError(known ?? "internal_error", `${name} took longer than ${timeoutMs} ms and was ended.`, {
    tool: name,
    timeout_ms: timeoutMs,
    next: isReading(tool) ? "Make the call again." : `It may have been done all the same. ${SEE_FIRST}`,
  });
};

const SEE_FIRST =
  "See what is there with list_content, list_artifacts or query_ephemeral_storage before you make it again.";

const isReading = ({ annotations }: ComposeTool): boolean =>
  (annotations as { readonly readOnlyHint?: unknown }).readOnlyHint === true;

const cancelled = ({ name }: ComposeTool): Refusal =>
  new Refusal("cancelled", {
    message: `The call of ${name} was cancelled, and nothing was changed.`,
    next: "Make it again if it is still wanted.",
  });

const givenUp = (tool: ComposeTool): Refusal =>
  isReading(tool)
    ? cancelled(tool)
    : new Refusal("indeterminate", {
        message: `The call of ${tool.name} was cancelled while it ran, and its outcome is unknown.`,
        next: SEE_FIRST,
        details: { error: "cancelled" },
      });
