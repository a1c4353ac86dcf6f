/** What a person wants to know of a skill before trusting it, a label and a text each. Pure. */
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { visibleText } from "./visible-text.ts";

const list = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));

export const skillFacts = (skill: SkillSeen | PackageDetail): [string, string][] => {
  const { kind, type, priority, state, reason, description, source, dcc, tools, allowed_tools } = skill;
  const facts: [string, string][] = [
    ["kind", kind === "package" ? "package, with tools of its own" : "skill"],
    ["used", type === "context" ? `in every message, by priority ${priority}` : "when it matches a message"],
    ["state", reason === null ? state : `${state}: ${reason}`],
    ["description", description],
    ["from", source],
    ...(dcc === null ? [] : [["application", dcc] satisfies [string, string]]),
    ...("digest" in skill ? packageFacts(skill) : []),
    ...(allowed_tools === undefined ? [] : [["narrows to", list(allowed_tools)] satisfies [string, string]]),
    ["tools", list(tools)],
    ["requires", list(skill.required_capabilities)],
    ["missing", list(skill.missing_capabilities)],
  ];
  return facts.map(([label, text]) => [label, visibleText(text)]);
};

const packageFacts = ({ version, digest, accepted, groups, env }: PackageDetail): [string, string][] => [
  ["version", version ?? "–"],
  ["digest", digest ?? "–"],
  ["accepted", accepted === digest && digest !== null ? "as it is" : (accepted ?? "never")],
  ["groups", list(groups.map(({ name, active }) => `${name} (${active ? "active" : "inactive"})`))],
  ["variables", list(env.map(({ name, granted }) => `${name} (${granted ? "granted" : "not granted"})`))],
];
