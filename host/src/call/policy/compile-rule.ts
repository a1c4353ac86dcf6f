/**
 * Reads one rule as it is written. Whatever of it cannot be read makes it deny everything that the rest of it can be about:
 * nobody knows what it was to forbid.
 */
import { ARGS_NOT_KEPT } from "../../kernel/args-not-kept.ts";
import { readArgumentTest, type ArgumentTest } from "../../kernel/argument-test.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import { plainId } from "../../kernel/is-allowed-actor.ts";
import { jcs } from "../../kernel/jcs.ts";
import type { Principal } from "../../kernel/principal.ts";
import { compileGlobs, type MatchText } from "./compile-globs.ts";
import { operationOf } from "./operation-of.ts";
import { readDemand } from "./read-demand.ts";
import { readLimit } from "./read-limit.ts";
import type { Effect, Rule, RuledTarget, Source } from "./rule.ts";

type Json = Readonly<Record<string, unknown>>;
type Holds = NonNullable<Rule["holds"]>;
/** What one member of `match` asks of the tool, of the call, or of both. */
interface Matcher {
  readonly fits?: (target: RuledTarget) => boolean;
  readonly holds?: Holds;
}
type ReadMatcher = (value: unknown, effect: Effect) => Matcher | string;

const EFFECTS: readonly string[] = ["allow", "deny", "require_approval", "limit"];
const OPERATIONS = ["call", "read", "prompt", "host-resources"];
const MEMBERS = new Set(["id", "match", "effect", "approval", "limit", "reason", "next"]);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** By the id of who acts, never of whom it acts for; the bare name of a CHP key where the glob names no kind. */
const matchPrincipal = (globs: readonly string[]): ((principal: Pick<Principal, "id" | "subject">) => boolean) => {
  const byId = compileGlobs(globs.map(plainId));
  const byName = compileGlobs(globs.filter((glob) => !glob.includes(":")));
  return ({ id, subject }) => byId(id) || (subject !== undefined && byName(subject.id));
};

const readTests: ReadMatcher = (value, effect) => {
  if (!Array.isArray(value)) return "arguments must be a list of tests";
  const tests: ArgumentTest[] = [];
  for (const written of value as unknown[]) {
    const read = readArgumentTest(written);
    if ("fault" in read) return `arguments: ${read.fault}`;
    tests.push(read.test);
  }
  const unsaid = effect !== "allow";
  return {
    holds: ({ args }, where) => (args === ARGS_NOT_KEPT ? !unsaid : tests.every((test) => test(args, where) ?? unsaid)),
  };
};

const readAnnotations: ReadMatcher = (value) => {
  if (!isObject(value)) return "annotations must be an object";
  const wanted = Object.entries(value).map(([key, each]) => [key, jcs(each)] as const);
  return {
    fits: ({ tool }) => {
      const stated = tool?.value["annotations"];
      return isObject(stated) && wanted.every(([key, text]) => Object.hasOwn(stated, key) && jcs(stated[key]) === text);
    },
  };
};

const texts =
  (make: (globs: readonly string[]) => Matcher, expected: string): ReadMatcher =>
  (value) =>
    isTexts(value) ? make(value) : `${expected} must be a list of texts`;

const onResources =
  (matches: MatchText): Holds =>
  (call) =>
    call.target.tool === null && operationOf(call) !== "prompt" && matches(call.target.name);

const MATCHERS: Readonly<Record<string, ReadMatcher>> = {
  tools: texts((globs) => {
    const matches = compileGlobs(globs);
    return { fits: ({ flatName }) => matches(flatName) };
  }, "tools"),
  principals: texts((globs) => {
    const matches = matchPrincipal(globs);
    return { holds: ({ principal }) => matches(principal) };
  }, "principals"),
  doors: texts((doors) => ({ holds: ({ door }) => door !== null && doors.includes(door) }), "doors"),
  resources: texts((globs) => ({ holds: onResources(compileGlobs(globs)) }), "resources"),
  operations: (value) =>
    isTexts(value) && value.every((each) => OPERATIONS.includes(each))
      ? { holds: (call) => value.includes(operationOf(call)) }
      : `operations must be a list of ${OPERATIONS.join(", ")}`,
  risk_at_least: (value) => {
    const least = RISK_TIERS.indexOf(value as RiskTier);
    if (least < 0) return `risk_at_least must be one of ${RISK_TIERS.join(", ")}`;
    return { fits: ({ capability }) => RISK_TIERS.indexOf(capability.risk) >= least };
  },
  annotations: readAnnotations,
  arguments: readTests,
};

interface Matching {
  readonly fits: Rule["fits"];
  readonly holds: Rule["holds"];
  readonly fault: string | null;
}

/** A member that cannot be read is left out: the rule could have been about anything there. */
const readMatch = (match: unknown, effect: Effect): Matching => {
  const matchers: Matcher[] = [];
  let fault = isObject(match) ? null : "match must be an object";
  for (const [key, value] of Object.entries(isObject(match) ? match : {})) {
    if (value === undefined) continue;
    const read = Object.hasOwn(MATCHERS, key)
      ? MATCHERS[key]!(value, effect)
      : `match has no member ${JSON.stringify(key.slice(0, 64))}`;
    if (typeof read === "string") fault ??= read;
    else matchers.push(read);
  }
  const fits = matchers.flatMap((matcher) => matcher.fits ?? []);
  const holds = matchers.flatMap((matcher) => matcher.holds ?? []);
  return {
    fault,
    fits: (target) => fits.every((test) => test(target)),
    holds:
      holds.length === 0
        ? null
        : holds.length === 1
          ? holds[0]!
          : (call, where) => holds.every((test) => test(call, where)),
  };
};

const faultOf = (written: Json): string | null => {
  const unknown = Object.keys(written).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) return `it has no member ${JSON.stringify(unknown.slice(0, 64))}`;
  if (typeof written["id"] !== "string") return "id must be a text";
  if (!EFFECTS.includes(written["effect"] as string)) return `effect must be one of ${EFFECTS.join(", ")}`;
  if (written["effect"] === "limit" && written["limit"] === undefined) return "effect limit needs a limit";
  return null;
};

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** `where`: what it is called where it has no id, and which source its limit is kept under. */
export const compileRule = (written: Json, source: Source, where: string): Rule => {
  const id = textOf(written["id"]) ?? where;
  const stated = written["effect"] as Effect;
  const { fits, holds, fault } = readMatch(written["match"], stated);
  const demand = readDemand(written["approval"], id);
  const limit = readLimit(written["limit"], id, source);
  const unreadable =
    faultOf(written) ?? fault ?? ("fault" in demand ? demand.fault : null) ?? ("fault" in limit ? limit.fault : null);
  return {
    id,
    source,
    effect: unreadable === null ? stated : "deny",
    fits,
    holds,
    demand: stated === "require_approval" && "demand" in demand ? demand.demand : null,
    limit: "limit" in limit ? limit.limit : null,
    reason: textOf(written["reason"]),
    next: textOf(written["next"]),
    unreadable,
    written,
  };
};
