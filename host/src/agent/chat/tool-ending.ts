/** What the call path answers, as the loop takes it: for the model, for clients, and for the loop supervisor. */
import type { Answer, Ending, ShapeAnswer } from "../../kernel/call.ts";
import { HostError } from "../../kernel/host-error.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import type { ToolEnding } from "../loop/loop-options.ts";
import { isLight } from "../runs/is-light.ts";
import type { KeepOptions } from "../runs/keep-whole.ts";
import { heavyResult, modelResult, refusalResult } from "../runs/model-result.ts";
import type { KeepResult } from "./result-files.ts";

export interface EndingOptions extends Omit<KeepOptions, "keepFile"> {
  readonly shape: Pick<ShapeAnswer, "mcp">;
  readonly keepFile: KeepResult;
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
  ({ shape, keepFile, reader, report }: EndingOptions): EndingMaker =>
  async (name, answer) => {
    const { ending, outcome, evidenceId } = answer;
    if (ending.kind === "input") throw new HostError("a question to somebody who cannot be asked");
    const said = { outcome, evidenceId };
    if (ending.kind === "refusal") {
      const { refusal } = ending;
      const { text, output, content } = refusalResult(name, refusal);
      const resultJson = shape.mcp(answer, "call").json;
      const bearing = isPassing(refusal) ? "passing" : "error";
      return { ...said, ok: false, code: refusal.kind, text, output, content, resultJson, bearing };
    }
    const keep: KeepOptions = {
      keepFile: (whole) => keepFile(whole, answer.record?.invocationId ?? null),
      reader,
      report,
    };
    const result = parsed(ending);
    const { text, output, content, isError } =
      result === HEAVY
        ? await heavyResult({ ...keep, name, json: ending.json })
        : await modelResult({ ...keep, name, result });
    const bearing = isError ? "error" : SEARCHES.has(name) && foundNothing(result) ? "idle" : "success";
    // The model gets an error for a result that is too long; the call itself did what it did.
    const ok = ending.kind === "result" && !ending.isError;
    const resultJson = ending.kind === "result" ? ending.json : rawJson(JSON.stringify(result));
    return { ...said, ok, code: null, text, output, content, resultJson, bearing };
  };

/** A model that is overloaded failed a delegate, and may answer the next. */
const isPassing = ({ kind, retryable }: Refusal): boolean =>
  PASSING.has(kind) || (kind === "model_failed" && retryable);

const HEAVY = Symbol("heavy");

/** As objects, where that is not too much of them. A server's own error is told as a result would be. */
const parsed = ({ kind, json }: Extract<Ending, { kind: "result" | "error" }>): unknown => {
  if (!isLight(json)) return kind === "result" ? HEAVY : errorResult(null);
  const value: unknown = JSON.parse(json);
  return kind === "result" ? value : errorResult(value);
};

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
