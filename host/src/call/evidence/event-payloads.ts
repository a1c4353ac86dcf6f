/** What the opening and the ending event of a call say, as canonical text. */
import type { Ending } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import { stable, stableString } from "../../kernel/stable.ts";
import type { Approved, Invocation } from "../../kernel/stages.ts";
import { capabilityOf } from "./describe-call.ts";

export const startedPayload = (call: Approved, invocation: Invocation): string => {
  const { target, verdict, canonicalArgs } = call;
  return (
    `{"capability_uri": ${stableString(capabilityOf(call).uri)}, ` +
    `"definition": ${target.tool ? `"${target.tool.definition}"` : "null"}, ` +
    `"input_bytes": ${call.argsJson === null ? 0 : Buffer.byteLength(call.argsJson)}, ` +
    `"input_commitment": "${commit(invocation.salt, canonicalArgs)}", ` +
    `"policy_version": "${verdict.policyVersion}", "surface": "${target.surface}", ` +
    `"tool": ${stableString(target.flatName)}${target.tool ? "" : `, "uri": ${stableString(target.name.slice(0, 2048))}`}}`
  );
};

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
  return (
    `{"capability_uri": ${uri}, "duration_ms": ${durationMs}, "output_bytes": ${Buffer.byteLength(said.json)}, ` +
    `"output_commitment": "${commit(salt, said.json)}"` +
    `${ending.kind === "refusal" ? `, "withheld": "${ending.refusal.kind}"` : ""}}`
  );
};

export const outcomeOf = (ending: Ending): { outcome: Outcome; error: string } => {
  if (ending.kind === "refusal" && ending.withheld) return outcomeOf(ending.withheld);
  if (ending.kind === "error" && ending.indeterminate)
    return outcomeOf({ kind: "refusal", refusal: ending.indeterminate, stage: 10 });
  if (ending.kind === "refusal") {
    const { refusal } = ending;
    const code = refusal.details["error"] ?? refusal.row.chp;
    return {
      outcome: refusal.row.outcome === "indeterminate" ? "indeterminate" : "failure",
      error: stable({ code, message: refusal.message, details: {} }),
    };
  }
  if (ending.kind === "error") {
    return {
      outcome: "failure",
      error: `{"code": "host_error", "details": {"jsonrpc_code": ${ending.code}}, "message": "The server answered with an error."}`,
    };
  }
  return ending.kind === "result" && ending.isError
    ? { outcome: "failure", error: `{"code": "tool_error", "details": {}, "message": "The tool reported an error."}` }
    : { outcome: "success", error: "null" };
};
