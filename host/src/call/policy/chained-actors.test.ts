import { describe, expect, it } from "vitest";
import { isAllowedActor } from "../../kernel/is-allowed-actor.ts";
import { compileRule } from "./compile-rule.ts";
import { evaluateRules, type RuleDecision } from "./evaluate-rules.ts";
import type { RuledCall } from "./rule.ts";

const decide = (written: readonly object[], principal: RuledCall["principal"]): RuleDecision => {
  const rules = written.map((rule, at) => compileRule({ match: {}, ...rule }, "host", `r${at}`));
  const call = { principal, door: "agent", operation: "call", args: {}, target: {} } as unknown as RuledCall;
  return evaluateRules(rules, call, null);
};

const AGENT = { id: "agent:bailiwick" };
const FOR_BOT = { id: "agent:bailiwick", chain: [{ id: "agent:bot" }] };
const DELEGATE = { id: "agent:researcher", chain: [{ id: "agent:bot" }, { id: "agent:bailiwick" }] };
const everybody = { id: "all", effect: "allow" };

describe("a rule about a program", () => {
  it.each(["deny", "require_approval"])("that says %s counts wherever that program stands", (effect) => {
    const rule = { id: "no", effect, match: { principals: ["agent:bot"] } };
    const hits = (principal: RuledCall["principal"]): boolean => {
      const { denied, demand } = decide([everybody, rule], principal);
      return denied !== null || demand !== null;
    };
    expect([AGENT, FOR_BOT, DELEGATE].map(hits)).toEqual([false, true, true]);
  });

  it("that limits it limits what it has others do, once", () => {
    const rule = {
      id: "few",
      effect: "limit",
      limit: { per: "principal", calls: 1, window_s: 60 },
      match: { principals: ["agent:*"] },
    };
    expect(decide([everybody, rule], DELEGATE).limits).toHaveLength(1);
  });

  it("opens nothing to a program that is not allowed itself, whether one rule allows them or several", () => {
    const allow = (id: string) => ({ id, effect: "allow", match: { principals: [id] } });
    const may = (allowed: readonly string[], principal: RuledCall["principal"]): boolean =>
      decide(allowed.map(allow), principal).allowed;
    expect(may(["agent:bailiwick"], AGENT)).toBe(true);
    expect(may(["agent:bailiwick"], FOR_BOT)).toBe(false);
    expect(may(["agent:bot"], FOR_BOT)).toBe(false);
    expect(may(["agent:bailiwick", "agent:bot"], FOR_BOT)).toBe(true);
    expect(may(["agent:researcher", "agent:bot"], DELEGATE)).toBe(false);
    expect(may(["agent:researcher", "agent:bailiwick", "agent:bot"], DELEGATE)).toBe(true);
    expect(decide([{ id: "both", effect: "allow", match: { principals: ["agent:*"] } }], DELEGATE)).toMatchObject({
      allowed: true,
      rule: "both",
    });
  });

  it("names the default where one of them is allowed and another is not", () => {
    expect(decide([{ id: "a", effect: "allow", match: { principals: ["agent:bailiwick"] } }], FOR_BOT).rule).toBe(
      "default:deny",
    );
  });
});

describe("a list of allowed actors", () => {
  it("has to name every program between who acts and whom it acts for", () => {
    expect(isAllowedActor(["agent:bailiwick"], AGENT)).toBe(true);
    expect(isAllowedActor(["agent:bailiwick"], FOR_BOT)).toBe(false);
    expect(isAllowedActor(["agent:bailiwick", "agent:bot"], FOR_BOT)).toBe(true);
    expect(isAllowedActor([], DELEGATE)).toBe(true);
  });
});
