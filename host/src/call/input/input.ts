/**
 * Stage 7. Arguments are valid against the full schema, and mean the same to every parser that reads them after us.
 */
import type { Check } from "../../kernel/check.ts";
import { jcs } from "../../kernel/jcs.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { worksOnFiles, type RootList, type RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import { findJsonDefect } from "../../kernel/scan-json.ts";
import { advance, type Permitted, type Valid } from "../../kernel/stages.ts";
import { UNUSABLE_SCHEMA_NEXT } from "../../kernel/suspension.ts";
import { compileSchema } from "./compile-schema.ts";
import { askGuardrails, type WrittenGuardrails } from "./guardrails.ts";
import { invalidInput } from "./invalid-input.ts";
import { resolvePaths } from "./resolve-paths.ts";

/** Given to tools by the host alone. */
const ROOTS_ARGUMENT = "_workspace_roots";

/** Only text with a long run of digits or an exponent can hold a number that needs the walk. */
const SUSPECT = /[\d.]{16}|\d[eE]/;

export interface InputOptions {
  /** Of a workspace; the same list while nothing changes. */
  readonly guardrailsOf: (workspace: string) => WrittenGuardrails;
  readonly rootsOf: RootsOf;
}

export interface InputStage {
  readonly run: (call: Permitted) => Valid;
  /** Where a call of a tool that works on files may work, and its paths resolved there. Throws the Refusal. */
  readonly resolve: (call: Permitted) => Pick<Valid, "roots" | "resolvedArgs">;
  /** The same questions, for `explain`. */
  readonly checks: readonly Check<Permitted>[];
  /** Null: it does not work on files. */
  readonly rootsFor: (call: Permitted) => RootList | null;
}

export const createInput = ({ guardrailsOf, rootsOf }: InputOptions): InputStage => {
  const askOf = (call: Permitted) => askGuardrails(guardrailsOf(call.principal.workspace), call, rootsOf);
  const rootsFor = (call: Permitted): RootList | null =>
    worksOnFiles(call.required) ? rootsOfCall(rootsOf, call) : null;
  const resolve: InputStage["resolve"] = (call) => {
    const roots = rootsFor(call);
    return roots === null ? NO_FILES : { roots, resolvedArgs: resolvePaths(call, roots) };
  };
  return {
    resolve,
    rootsFor,
    run(call) {
      const no = judgeSchema(call);
      if (no) throw no;
      const { roots, resolvedArgs } = resolve(call);
      const { asked, refusal } = askOf(call);
      if (refusal) throw refusal;
      return advance(call, { canonicalArgs: jcs(call.args), guardrails: asked, roots, resolvedArgs });
    },
    checks: [
      { name: "schema", judge: judgeSchema, why: () => "valid" },
      {
        name: "workspace_paths",
        judge: (call) => refusalOf(() => resolve(call)),
        why: (call) => (worksOnFiles(call.required) ? "every path lies where it may" : "it does not work on files"),
      },
      {
        name: "guardrails",
        judge: (call) => askOf(call).refusal,
        why: (call) => askOf(call).asked.join(", ") || "none is about it",
      },
    ],
  };
};

const NO_FILES = Object.freeze({ roots: null, resolvedArgs: null });

const refusalOf = (work: () => unknown): Refusal | null => {
  try {
    work();
    return null;
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
};

/** Null: the arguments are valid. */
const judgeSchema = (call: Permitted): Refusal | null => {
  if (call.operation === "call" && Object.hasOwn(call.args, ROOTS_ARGUMENT)) return rootsGiven(call);
  const unsafe = call.argsJson !== null && SUSPECT.test(call.argsJson) ? findUnsafeNumber(call) : null;
  const { tool } = call.target;
  if (unsafe || !tool) return unsafe;
  const schema = compileSchema(tool.value);
  if ("unreadable" in schema) return unreadable(call.target, schema.unreadable);
  const wrong = schema.check(call.args);
  return wrong && invalidInput(call, wrong.path, wrong.reason);
};

const findUnsafeNumber = (call: Permitted): Refusal | null => {
  const defect = findJsonDefect(call.argsJson ?? "{}", { maxDepth: 512, numbers: true });
  if (defect?.kind !== "number") return null;
  return invalidInput(
    call,
    defect.pointer.slice(0, 500),
    "is a number that cannot be kept exactly; send it as a string",
  );
};

const rootsGiven = (call: Permitted): Refusal =>
  new Refusal("invalid_input", {
    message: `Invalid arguments for ${call.target.flatName}: ${ROOTS_ARGUMENT} is given by the host, not by callers.`,
    next: `Leave ${ROOTS_ARGUMENT} out and call again; files__roots tells which roots there are.`,
    details: {
      path: `/${ROOTS_ARGUMENT}`,
      schema_id: call.target.tool?.definition ?? null,
      reason: "is given by the host",
    },
  });

const unreadable = ({ flatName, capability }: Permitted["target"], why: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} cannot be called: its input schema cannot be used (${why.slice(0, 500)}).`,
    next: UNUSABLE_SCHEMA_NEXT,
    details: { capability_id: capability.id, lifecycle: "suspended", reason: why.split(":", 1)[0] },
  });
