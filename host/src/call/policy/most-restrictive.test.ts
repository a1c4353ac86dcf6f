import fc from "fast-check";
import { expect, it } from "vitest";
import { AGENT, endOf, openBench, principalOf } from "./policy-for-tests.ts";

const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const strings = (...values: string[]) => fc.subarray(values, { minLength: 0 });

const test = fc.record({
  path: fc.constantFrom("/amount", "/to", "bad"),
  op: fc.constantFrom("=", "!=", "<", ">", "in", "matches", "exists", "under", "nonsense"),
  value: fc.constantFrom<unknown>(1, 100, "a", "(", ["a"], undefined),
});

const match = fc.record(
  {
    tools: maybe(strings("billing__refund", "billing__*", "other__*", "*")),
    principals: maybe(strings("person:*", "agent:*", "agent://planner")),
    doors: maybe(strings("mcp", "rest")),
    operations: maybe(strings("call", "read", "wrong")),
    arguments: maybe(fc.array(test, { maxLength: 2 })),
    risk_at_least: maybe(fc.constantFrom("low", "medium", "high", "none")),
    unknown: maybe(fc.constant(1)),
  },
  { requiredKeys: [] },
);

const defined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

const rule = fc
  .record({
    match: match.map(defined),
    effect: fc.constantFrom("allow", "deny", "require_approval", "limit"),
    limit: maybe(
      fc.record({
        per: fc.constantFrom("principal", "host"),
        calls: fc.integer({ min: 0, max: 3 }),
        window_s: fc.constant(60),
      }),
    ),
    approval: maybe(fc.constant({ approvers: ["role:manager"] })),
  })
  .map(defined);

const STRENGTH = ["run", "wait"];
const strengthOf = (end: string): number => (STRENGTH.includes(end) ? STRENGTH.indexOf(end) : 2);

it("one more rule that does not allow never makes more possible, and one that allows never undoes a denial", () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 6 }),
      rule,
      fc.boolean(),
      fc.constantFrom({}, { amount: 5 }, { amount: "5", to: "a" }),
      fc.constantFrom(AGENT, principalOf()),
      (rules, added, shipped, args, principal) => {
        const named = (list: object[]) => list.map((each, index) => ({ id: `r${index}`, ...each }));
        const before = openBench({ shipped, rules: named(rules) });
        const after = openBench({ shipped, rules: named([...rules, added]) });
        const was = endOf(before, { args, principal });
        const is = endOf(after, { args, principal });
        const denied = before.book.of("ws_default").rules.some((each) => {
          const call = before.callOf({ args, principal });
          return each.effect === "deny" && each.fits(call.target) && (each.holds?.(call, null) ?? true);
        });
        const opens = (added as { effect: string }).effect === "allow" && !denied;
        expect(opens || strengthOf(is) >= strengthOf(was)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

it("with an allow in force, any rule at all only tightens", () => {
  const open = { match: {}, effect: "allow" };
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), rule, (rules, added) => {
      const named = (list: object[]) => list.map((each, index) => ({ id: `r${index}`, ...each }));
      const was = endOf(openBench({ rules: named([open, ...rules]) }), { principal: AGENT });
      const is = endOf(openBench({ rules: named([open, ...rules, added]) }), { principal: AGENT });
      expect(strengthOf(is)).toBeGreaterThanOrEqual(strengthOf(was));
    }),
    { numRuns: 300 },
  );
});

it("the order of rules means nothing", () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), (rules) => {
      const named = rules.map((each, index) => ({ id: `r${index}`, ...each }));
      expect(endOf(openBench({ rules: named.toReversed() }))).toBe(endOf(openBench({ rules: named })));
    }),
    { numRuns: 200 },
  );
});
