/**
 * Guardrails: the last look at the arguments, by tests that an operator wrote. They only block. A test without an answer,
 * because the argument is missing, of another type or cannot be compared, blocks too.
 */
import type { Config } from "@bailiwick/contract";
import { readArgumentTest, type ArgumentTest, type Rooted } from "../../kernel/argument-test.ts";
import { matchesGlob } from "../../kernel/glob.ts";
import type { UnderLists } from "../../kernel/is-under.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootListsOf } from "../../kernel/roots-of-call.ts";
import type { Permitted } from "../../kernel/stages.ts";

export type WrittenGuardrails = Config["policy"]["guardrails"];

interface Guardrail {
  readonly id: string;
  readonly tools: readonly string[];
  /** Any one blocks. */
  readonly tests: readonly { readonly path: string; readonly test: ArgumentTest }[];
  readonly onlyPeople: readonly string[];
}

export interface GuardrailFinding {
  /** Those that looked at the call, in their order; the last one blocked it if there is a refusal. */
  readonly asked: readonly string[];
  readonly refusal: Refusal | null;
}

type GuardedCall = Pick<Permitted, "args" | "target" | "principal" | "clientRoots">;

const compiled = new WeakMap<WrittenGuardrails, readonly Guardrail[]>();

const UNREADABLE: ArgumentTest = () => null;

const compile = (written: WrittenGuardrails): readonly Guardrail[] => {
  const known = compiled.get(written);
  if (known) return known;
  const made = written.map(({ id, tools, deny_if: tests = [], requires_human_for: onlyPeople = [] }) => ({
    id,
    tools,
    onlyPeople,
    tests: tests.map((test) => {
      const read = readArgumentTest(test);
      return { path: test.path, test: "test" in read ? read.test : UNREADABLE };
    }),
  }));
  compiled.set(written, made);
  return made;
};

const NOTHING: GuardrailFinding = Object.freeze({ asked: Object.freeze([]), refusal: null });

export const askGuardrails = (written: WrittenGuardrails, call: GuardedCall, rootsOf: RootsOf): GuardrailFinding => {
  if (written.length === 0) return NOTHING;
  const asked: string[] = [];
  let lists: UnderLists | null = null;
  const where = { roots: () => (lists ??= rootListsOf(rootsOf, call)) };
  for (const guardrail of compile(written)) {
    if (!guardrail.tools.some((glob) => matchesGlob(glob, call.target.flatName))) continue;
    asked.push(guardrail.id);
    const why = blockedBy(guardrail, call, where);
    if (why !== null) return { asked, refusal: blocked(guardrail, call, why) };
  }
  return asked.length === 0 ? NOTHING : { asked, refusal: null };
};

const blockedBy = ({ tests, onlyPeople }: Guardrail, { args, target }: GuardedCall, where: Rooted): string | null => {
  const { id } = target.capability;
  if (onlyPeople.some((glob) => matchesGlob(glob, id) || matchesGlob(glob, target.flatName)))
    return `${id} is reserved for people to do themselves`;
  const found = tests.find(({ test }) => test(args, where) !== false);
  return found === undefined ? null : `the argument ${found.path} is not acceptable`;
};

const blocked = ({ id }: Guardrail, { target }: GuardedCall, why: string): Refusal =>
  new Refusal("guardrail_blocked", {
    message: `${target.flatName} was blocked by guardrail ${JSON.stringify(id)}: ${why}.`,
    next: `Change the call, or ask the operator about guardrail ${JSON.stringify(id)} in policy.guardrails.`,
    details: { guardrail: id, capability_id: target.capability.id, reason: why },
  });
