/**
 * Skills that servers supply, from the entries that the surface lists. Their text is untrusted and not part of an entry: it is
 * read when it is wanted, so that a server that does not answer costs nobody a message. Pure.
 */
import { oneLine } from "../prompt/one-line.ts";
import type { BookSkill, RemoteFiles } from "./book-skill.ts";
import { folderSkillOf } from "./read-folder-skill.ts";
import { quoted, SkillFindings } from "./skill-findings.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

/** The host's own provider of folders on its disk. */
const OWN = "skills";
const PROVIDER = "dev.bailiwick/provider";

export type ServerSkill = Omit<BookSkill, "missing" | "reason">;

export interface ServerSkills {
  /** By provider name, then as the server lists them. */
  readonly skills: readonly ServerSkill[];
  readonly warnings: readonly string[];
}

/** `listed`: entries as `skills/list` of the workspace's endpoint gives them out. */
export const serverSkills = (listed: string): ServerSkills => {
  const skills: ServerSkill[] = [];
  const warnings: string[] = [];
  for (const entry of JSON.parse(listed) as readonly Entry[]) {
    const provider = entry._meta?.[PROVIDER];
    if (typeof provider !== "string" || provider === OWN || !isMapping(entry.frontmatter)) continue;
    if (skills.length >= SKILL_LIMITS.skills) {
      warnings.push(`Of the skills of servers only ${SKILL_LIMITS.skills} are used; stop a bundle that has many.`);
      break;
    }
    const findings = new SkillFindings(`the skill ${oneLine(entry.uri)} of ${provider}`);
    const skill = skillOf({ ...entry, frontmatter: entry.frontmatter }, provider, findings);
    if (skill.name === "") findings.skip("it has no name.");
    else skills.push(skill);
    warnings.push(...findings.all());
  }
  return { skills, warnings };
};

interface Entry {
  readonly uri: string;
  readonly frontmatter?: unknown;
  readonly resources?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

const skillOf = (entry: Entry & { frontmatter: Fields }, provider: string, findings: SkillFindings): ServerSkill => {
  const { uri, frontmatter: fields } = entry;
  const skill = folderSkillOf({ fields, body: "", sourceOf: () => null }, folderOf(uri), findings);
  if (skill.type === "context") findings.warn("a server cannot make it a context skill; it counts as type skill.");
  return {
    ...skill,
    triggers: longEnough("triggers", skill.triggers, findings),
    keywords: longEnough("keywords", skill.keywords, findings),
    // What is always in the prompt is for those to say who keep the host.
    type: "skill",
    source: `bundle:${provider}`,
    server: provider,
    path: null,
    folder: null,
    isPackage: false,
    remote: { provider, uri, files: filesOf(entry) },
  };
};

/** A letter or two occur in nearly every message. */
const SHORTEST_WORD = 4;

const longEnough = (key: string, words: readonly string[], findings: SkillFindings): readonly string[] =>
  words.filter((word) => {
    const isLong = Array.from(word.trim()).length >= SHORTEST_WORD;
    if (!isLong)
      findings.warn(`${key}: ${quoted(word)} is dropped; of a server's they need ${SHORTEST_WORD} characters.`);
    return isLong;
  });

/** Of `skill://a/b/SKILL.md`: `b`. */
const folderOf = (uri: string): string => uri.split("/").at(-2) ?? "";

const filesOf = ({ resources }: Entry): RemoteFiles["files"] =>
  Array.isArray(resources)
    ? resources.flatMap((each: unknown) => (isMapping(each) && typeof each["uri"] === "string" ? [each["uri"]] : []))
    : null;

const isMapping = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
