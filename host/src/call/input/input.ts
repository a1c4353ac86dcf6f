/**
 * Stage 7. Arguments are valid against the full schema, and mean the same to every parser that reads them after us.
 */
import type { Check } from "../../kernel/check.ts";
import { jcs } from "../../kernel/jcs.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { findJsonDefect } from "../../kernel/scan-json.ts";
import { advance, type Permitted, type Valid } from "../../kernel/stages.ts";
import { compileSchema } from "./compile-schema.ts";
import { askGuardrails, type WrittenGuardrails } from "./guardrails.ts";

/** Only text with a long run of digits or an exponent can hold a number that needs the walk. */
const SUSPECT = /[\d.]{16}|\d[eE]/;

export interface InputOptions {
  /** Of a workspace; the same list while nothing changes. */
  readonly guardrailsOf: (workspace: string) => WrittenGuardrails;
}

export interface InputStage {
  readonly run: (call: Permitted) => Valid;
  /** The same questions, for `explain`. */
  readonly checks: readonly Check<Permitted>[];
}

export const createInput = ({ guardrailsOf }: InputOptions): InputStage => {
  const askOf = (call: Permitted) => askGuardrails(guardrailsOf(call.principal.workspace), call);
  return {
    run(call) {
      const no = judgeSchema(call);
      if (no) throw no;
      const { asked, refusal } = askOf(call);
      if (refusal) throw refusal;
      return advance(call, { canonicalArgs: jcs(call.args), guardrails: asked });
    },
    checks: [
      { name: "schema", judge: judgeSchema, why: () => "valid" },
      {
        name: "guardrails",
        judge: (call) => askOf(call).refusal,
        why: (call) => askOf(call).asked.join(", ") || "none is about it",
      },
    ],
  };
};

/** Null: the arguments are valid. */
const judgeSchema = (call: Permitted): Refusal | null => {
  const unsafe = call.argsJson !== null && SUSPECT.test(call.argsJson) ? findUnsafeNumber(call) : null;
  const { tool } = call.target;
  if (unsafe || !tool) return unsafe;
  const schema = compileSchema(tool.value);
  if ("unreadable" in schema) return unreadable(call.target, schema.unreadable);
  const wrong = schema.check(call.args);
  return wrong && invalid(call, wrong.path, wrong.reason);
};

const findUnsafeNumber = (call: Permitted): Refusal | null => {
  const defect = findJsonDefect(call.argsJson ?? "{}", { maxDepth: 512, numbers: true });
  if (defect?.kind !== "number") return null;
  return invalid(call, defect.pointer.slice(0, 500), "is a number that cannot be kept exactly; send it as a string");
};

const invalid = (call: Permitted, path: string, reason: string): Refusal =>
  new Refusal("invalid_input", {
    message: `Invalid arguments for ${call.target.flatName}: ${path === "" ? "arguments" : path} ${reason}.`,
    next: `Correct ${path === "" ? "the arguments" : path} as the tool's inputSchema says and call again.`,
    details: { path, schema_id: call.target.tool?.definition ?? null, reason },
  });

const unreadable = ({ flatName, capability }: Permitted["target"], why: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} cannot be called: its input schema cannot be used (${why.slice(0, 500)}).`,
    next: "Report it to the author of the bundle; nothing is sent without a check of its arguments.",
    details: { capability_id: capability.id, lifecycle: "suspended", reason: why.split(":", 1)[0] },
  });
