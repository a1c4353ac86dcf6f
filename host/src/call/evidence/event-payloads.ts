/** What the opening and the ending event of a call say, as canonical text. */
import type { Ending } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { stable, stableString } from "../../kernel/stable.ts";
import type { Approved, Invocation } from "../../kernel/stages.ts";
import { capabilityOf } from "./describe-call.ts";

/** `once`: what binds a repeat to this call; null: it is made as often as it comes. */
export const startedPayload = (call: Approved, invocation: Invocation, once: string | null): string => {
  const { target, verdict, canonicalArgs, envelope } = call;
  const context = envelope?.context ?? null;
  return (
    `{"capability_uri": ${stableString(capabilityOf(call).uri)}, ` +
    (context === null ? "" : `"context": ${stable(context)}, `) +
    `"definition": ${target.tool ? `"${target.tool.definition}"` : "null"}, ` +
    `"input_bytes": ${call.argsJson === null ? 0 : Buffer.byteLength(call.argsJson)}, ` +
    `"input_commitment": "${commit(invocation.salt, canonicalArgs)}", ` +
    (once === null ? "" : `"once": "${once}", `) +
    `"policy_version": "${verdict.policyVersion}", "rule": ${stableString(ruleOf(call))}, ` +
    `"surface": "${target.surface}", ` +
    `"tool": ${stableString(target.flatName)}${target.tool ? "" : `, "uri": ${stableString(target.name.slice(0, 2048))}`}}`
  );
};

/** The rule that decided: the one that demanded an approval, where one was given. */
const ruleOf = ({ verdict, approval }: Approved): string => approval?.rule ?? verdict.rule;

export interface EndedFacts {
  /** Of the capability. */
  readonly uri: string;
  readonly salt: Buffer;
  readonly ending: Ending;
  readonly durationMs: number;
}

export const endedPayload = ({ uri: capability, salt, ending, durationMs }: EndedFacts): string => {
  const uri = stableString(capability);
  const said = ending.kind === "refusal" ? ending.withheld : ending;
  if (said === undefined || said.kind === "input") return `{"capability_uri": ${uri}, "duration_ms": ${durationMs}}`;
  const chunks = said.kind === "result" ? said.chunks : undefined;
  const invalid = said.kind === "result" && said.outputInvalid !== undefined;
  return (
    `{"capability_uri": ${uri}, ` +
    (chunks ? `"chunk_count": ${chunks.count}, "chunk_seq_digest": "${chunks.digest}", ` : "") +
    `"duration_ms": ${durationMs}, "output_bytes": ${Buffer.byteLength(said.json)}, ` +
    `"output_commitment": "${commit(salt, said.json)}"` +
    (invalid ? ', "output_schema_valid": false' : "") +
    `${ending.kind === "refusal" ? `, "withheld": "${ending.refusal.kind}"` : ""}}`
  );
};

export interface Recorded {
  readonly outcome: Outcome;
  readonly error: string;
  readonly denial: string;
}

export const outcomeOf = (ending: Ending): Recorded => {
  if (ending.kind === "refusal" && ending.withheld) return outcomeOf(ending.withheld);
  if (ending.kind === "error" && ending.indeterminate)
    return outcomeOf({ kind: "refusal", refusal: ending.indeterminate, stage: 10 });
  if (ending.kind === "refusal") {
    const { refusal } = ending;
    if (refusal.kind === "output_invalid") return denied(refusal);
    const code = refusal.details["error"] ?? refusal.row.chp;
    return {
      outcome: refusal.row.outcome === "indeterminate" ? "indeterminate" : "failure",
      error: stable({ code, message: refusal.message, details: {} }),
      denial: "null",
    };
  }
  if (ending.kind === "error") {
    return {
      outcome: "failure",
      error: `{"code": "host_error", "details": {"jsonrpc_code": ${ending.code}}, "message": "The server answered with an error."}`,
      denial: "null",
    };
  }
  if (ending.kind !== "result" || !ending.isError) return { outcome: "success", error: "null", denial: "null" };
  const error = '{"code": "tool_error", "details": {}, "message": "The tool reported an error."}';
  return { outcome: "failure", error, denial: "null" };
};

/** The tool ran, and its result was withheld by a rule. */
const denied = ({ row, message, details, retryable }: Refusal): Recorded => ({
  outcome: "denied",
  error: "null",
  denial: stable({ code: row.chp, message, details, invariant_id: null, retryable }),
});
