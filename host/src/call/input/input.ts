/**
 * Stage 7. Arguments are valid against the full schema, and mean the same to every parser that reads them after us.
 */
import { jcs } from "../../kernel/jcs.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { findJsonDefect } from "../../kernel/scan-json.ts";
import { advance, type Permitted, type Valid } from "../../kernel/stages.ts";
import { compileSchema } from "./compile-schema.ts";

/** Only text with a long run of digits or an exponent can hold a number that needs the walk. */
const SUSPECT = /[\d.]{16}|\d[eE]/;

export const input = (call: Permitted): Valid => {
  if (call.argsJson !== null && SUSPECT.test(call.argsJson)) refuseUnsafeNumber(call);
  const { tool } = call.target;
  if (tool) {
    const schema = compileSchema(tool.value);
    if ("unreadable" in schema) throw unreadable(call.target.flatName, schema.unreadable);
    const wrong = schema.check(call.args);
    if (wrong) throw invalid(call, wrong.path, wrong.reason);
  }
  return advance(call, { canonicalArgs: jcs(call.args) });
};

const refuseUnsafeNumber = (call: Permitted): void => {
  const defect = findJsonDefect(call.argsJson ?? "{}", { maxDepth: 512, numbers: true });
  if (defect?.kind === "number") {
    throw invalid(call, defect.pointer.slice(0, 500), "is a number that cannot be kept exactly; send it as a string");
  }
};

const invalid = (call: Permitted, path: string, reason: string): Refusal =>
  new Refusal("invalid_input", {
    message: `Invalid arguments for ${call.target.flatName}: ${path === "" ? "arguments" : path} ${reason}.`,
    next: `Correct ${path === "" ? "the arguments" : path} as the tool's inputSchema says and call again.`,
    details: { path, schema_id: call.target.tool?.definition ?? null, reason },
  });

const unreadable = (flatName: string, why: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} cannot be called: its input schema cannot be used (${why.slice(0, 500)}).`,
    next: "Report it to the author of the bundle; nothing is sent without a check of its arguments.",
    details: { capability_id: flatName, lifecycle: "suspended", reason: why.split(":", 1)[0] },
  });
