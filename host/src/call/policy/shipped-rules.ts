/**
 * The rules that are in force beside those of the file until `policy.shipped` is false. Whoever comes this far is a member
 * of its workspace: that was verified with the credential.
 */
import { compileRule } from "./compile-rule.ts";
import type { Rule } from "./rule.ts";

/** Everybody but a person. */
const PROGRAMS = ["agent:*", "service:*", "bundle:*", "app:*"];

const RULES = [
  // Bundles that ask for the host's resources too.
  { id: "shipped:members", match: {}, effect: "allow" },
  {
    id: "shipped:risk",
    match: { risk_at_least: "high", principals: PROGRAMS },
    effect: "require_approval",
    reason: "A program needs a person's approval for a tool of high risk",
  },
  {
    id: "shipped:bash",
    match: { tools: ["bash__*"], principals: PROGRAMS },
    effect: "require_approval",
    reason: "A program needs a person's approval of each exact command",
  },
  {
    id: "shipped:manage",
    match: { tools: ["nb__manage_bundle", "nb__manage_skill"], principals: PROGRAMS },
    effect: "require_approval",
    reason: "A program needs a person's approval to change what is installed",
  },
];

export const SHIPPED_RULES: readonly Rule[] = RULES.map((rule) => compileRule(rule, "shipped", rule.id));
