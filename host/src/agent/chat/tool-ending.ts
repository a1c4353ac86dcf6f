/** What the call path answers, as the loop takes it: for the model, for clients, and for the loop supervisor. */
import type { Answer, ShapeAnswer } from "../../kernel/call.ts";
import { HostError } from "../../kernel/host-error.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import type { ToolEnding } from "../loop/loop-options.ts";
import { modelResult, refusalResult, type ModelResultOptions } from "../runs/model-result.ts";

export interface EndingOptions extends Pick<ModelResultOptions, "keepFile" | "report"> {
  readonly shape: Pick<ShapeAnswer, "mcp">;
}

export type EndingMaker = (name: string, answer: Answer) => Promise<ToolEnding>;

/** The network or a restart failed it: the same call may do next time. */
const PASSING: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  "not_ready",
  "upstream_failed",
  "timed_out",
  "cancelled",
  "indeterminate",
  "outcome_unrecorded",
  "host_unreachable",
]);
const SEARCHES: ReadonlySet<string> = new Set(["nb__discover_tools", "nb__discover_bundles"]);

export const createEndings =
  ({ shape, keepFile, report }: EndingOptions): EndingMaker =>
  async (name, answer) => {
    const { ending, outcome, evidenceId } = answer;
    if (ending.kind === "input") throw new HostError("a question to somebody who cannot be asked");
    const said = { outcome, evidenceId };
    if (ending.kind === "refusal") {
      const { refusal } = ending;
      const { text, output, content } = refusalResult(name, refusal);
      const result: unknown = JSON.parse(shape.mcp(answer, "call").json);
      const bearing = PASSING.has(refusal.kind) ? "passing" : "error";
      return { ...said, ok: false, code: refusal.kind, text, output, content, result, bearing };
    }
    const value: unknown = JSON.parse(ending.json);
    const result = ending.kind === "result" ? value : errorResult(value);
    const { text, output, content, isError } = await modelResult({ name, result, keepFile, report });
    const bearing = isError ? "error" : SEARCHES.has(name) && foundNothing(result) ? "idle" : "success";
    // The model gets an error for a result that is too long; the call itself did what it did.
    const ok = ending.kind === "result" && !ending.isError;
    return { ...said, ok, code: null, text, output, content, result, bearing };
  };

/** A server's own error is told as a result would be. */
const errorResult = (error: unknown): object => {
  const message = (error as { message?: unknown } | null)?.message;
  return {
    content: [{ type: "text", text: typeof message === "string" ? message : "The server answered with an error." }],
    isError: true,
  };
};

const foundNothing = (result: unknown): boolean => {
  const found = (result as { structuredContent?: Readonly<Record<string, unknown>> } | null)?.structuredContent;
  const rows = found?.["tools"] ?? found?.["bundles"];
  return Array.isArray(rows) && rows.length === 0 && found?.["providers"] === undefined;
};
