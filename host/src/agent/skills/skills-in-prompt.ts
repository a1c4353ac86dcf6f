/**
 * Which skills stand in the prompt whatever the message is. They are the same while bundles come and go: whether one can be
 * used now is said elsewhere. Pure.
 */
import type { AgentSkill } from "./agent-skill.ts";

/** Ascending priority; those of one priority in load order. */
export const contextSkills = <Skill extends AgentSkill>(skills: readonly Skill[]): readonly Skill[] =>
  skills.filter(({ type }) => type === "context").toSorted((a, b) => a.priority - b.priority);

/** Those that no message can match by its words: the model has to choose them. */
export const catalogueSkills = <Skill extends AgentSkill>(skills: readonly Skill[]): readonly Skill[] =>
  skills.filter(({ type, triggers, keywords }) => type === "skill" && triggers.length === 0 && keywords.length === 0);
