/**
 * All skills of a workspace in one list: those on the host's disk, then those of servers, each with whether it can be used now.
 * What a server supplies never stands in for what somebody put on the disk.
 */
import type { FoundSkill } from "./agent-skill.ts";
import type { BookSkill } from "./book-skill.ts";
import type { ServerSkill } from "./server-skills.ts";
import { whyUnavailable } from "./why-unavailable.ts";

export interface SkillsNow {
  /** Names of providers, and of the packages of bundles, that run. */
  readonly running: ReadonlySet<string>;
  /** Why the package whose `SKILL.md` has this SHA-256 cannot be used; null: it can. */
  packageReason(name: string, digest: string): string | null;
  /** Environment capabilities that the tools of a skill require and the host does not declare. */
  missing(skill: Pick<BookSkill, "name" | "isPackage" | "allowedTools">): readonly string[];
}

export interface JoinedSkills {
  readonly skills: readonly BookSkill[];
  readonly warnings: readonly string[];
}

export const joinSkills = (
  local: readonly FoundSkill[],
  remote: readonly ServerSkill[],
  now: SkillsNow,
): JoinedSkills => {
  const skills = new Map<string, BookSkill>();
  const warnings: string[] = [];
  for (const skill of local) skills.set(keyOf(skill), localSkill(skill, now));
  for (const skill of remote) {
    const first = skills.get(keyOf(skill));
    if (first === undefined) skills.set(keyOf(skill), remoteSkill(skill, now));
    else warnings.push(`skill ${skill.name}: the one of ${skill.server} is not used, since ${placeOf(first)} has it.`);
  }
  return { skills: [...skills.values()], warnings };
};

const localSkill = ({ digest, ...found }: FoundSkill, now: SkillsNow): BookSkill => {
  const skill = { ...found, isPackage: refersToTools(found), server: null, remote: null };
  const reason = skill.isPackage ? now.packageReason(skill.name, digest) : null;
  return { ...skill, reason: reason ?? whyUnavailable(skill, now.running), missing: now.missing(skill) };
};

const remoteSkill = (skill: ServerSkill, now: SkillsNow): BookSkill => {
  const requiresBundles = [...(skill.server === null ? [] : [skill.server]), ...skill.requiresBundles];
  return { ...skill, reason: whyUnavailable({ requiresBundles }, now.running), missing: now.missing(skill) };
};

/** As skill packages are told apart from skills. */
const refersToTools = ({ metadata, folder }: Pick<FoundSkill, "metadata" | "folder">): boolean => {
  const block = metadata["dcc-mcp"] as { readonly tools?: unknown } | null | undefined;
  return folder !== null && typeof block === "object" && (block?.tools ?? null) !== null;
};

const keyOf = ({ name }: { readonly name: string }): string => name.normalize("NFC");

const placeOf = ({ path, server }: BookSkill): string => path ?? server ?? "";
