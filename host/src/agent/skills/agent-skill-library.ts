/**
 * The skills of several directories, looked at anew for each message. A file that did not change is not read again; one that
 * is no usable skill is told by its name, and never keeps the others from being used.
 */
import { hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, sep } from "node:path";
import type { AgentSkill, FoundSkill } from "./agent-skill.ts";
import { listSkills, type SkillDirectory } from "./list-skills.ts";
import { orderSkills, type SkillListing, type SkillPlace } from "./order-skills.ts";
import { placeSkills } from "./place-skills.ts";
import { readFlatSkill } from "./read-flat-skill.ts";
import { readFolderSkill } from "./read-folder-skill.ts";
import { readPlainFile } from "../../kernel/read-plain-file.ts";
import { SkillFindings } from "./skill-findings.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";
import { systemCode } from "./system-code.ts";

export interface LoadedSkills {
  /** In load order. */
  readonly skills: readonly FoundSkill[];
  /** Sentences that name a file and what to do about it. */
  readonly warnings: readonly string[];
}

interface Finding {
  /** Null: it is read again in any case. */
  readonly mark: string | null;
  readonly skill: (AgentSkill & Pick<FoundSkill, "digest">) | null;
  readonly warnings: readonly string[];
}

const NOT_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
/** When a file was changed is told so coarsely that one which was just written may be written again under the same mark. */
const FRESH_NS = 100_000_000n;

const AT_ONCE = 16;

export class AgentSkillLibrary {
  #known = new Map<string, Finding>();

  /** `directories` in load order. */
  async load(directories: readonly SkillDirectory[]): Promise<LoadedSkills> {
    const listed = await Promise.all(directories.map(listAlone));
    const warnings = listed.flatMap((each) => each.warnings);
    const found: FoundSkill[] = [];
    const known = new Map<string, Finding>();
    const places = orderSkills(listed.map(({ listing }) => listing));
    let looked: readonly (Finding | null)[] = [];
    for (const [at, place] of places.entries()) {
      if (found.length >= SKILL_LIMITS.skills) {
        warnings.push(`${place.path} and what follows is beyond ${SKILL_LIMITS.skills} skills; take some out.`);
        break;
      }
      if (at % AT_ONCE === 0) {
        const some = places.slice(at, at + AT_ONCE);
        looked = await Promise.all(some.map(async (each) => known.get(each.path) ?? this.#look(each)));
      }
      const finding = looked[at % AT_ONCE] ?? null;
      if (finding === null) continue;
      if (!known.has(place.path)) warnings.push(...finding.warnings);
      known.set(place.path, finding);
      if (finding.skill !== null) found.push({ ...finding.skill, ...place });
    }
    this.#known = known;
    const placed = placeSkills(found);
    return { skills: placed.skills, warnings: [...warnings, ...placed.warnings] };
  }

  /** Null: a folder without `SKILL.md`, which is none of ours. */
  async #look(place: SkillPlace): Promise<Finding | null> {
    const findings = new SkillFindings(place.path);
    try {
      const stats = await stat(place.path, { bigint: true });
      const mark = markOf(stats);
      const before = this.#known.get(place.path);
      if (before?.mark === mark) return before;
      const isFresh = stats.ctimeNs > BigInt(Date.now()) * 1_000_000n - FRESH_NS;
      const bytes = await readFileOf(place, findings);
      const skill = bytes === null ? null : await readSkill(place, bytes, findings);
      const digest = bytes === null ? "" : hash("sha256", bytes);
      return { mark: isFresh ? null : mark, skill: skill && { ...skill, digest }, warnings: findings.all() };
    } catch (error) {
      const code = systemCode(error);
      if (place.folder !== null && NOT_THERE.has(code) && !(await isNamed(place.path))) return null;
      findings.skip(`it cannot be read (${code}); let the host's user read it.`);
      return { mark: null, skill: null, warnings: findings.all() };
    }
  }
}

const listAlone = async (directory: SkillDirectory): Promise<{ listing: SkillListing; warnings: string[] }> => {
  const warnings: string[] = [];
  return { listing: await listSkills(directory, warnings), warnings };
};

/** There is something of this name, if only a link that leads nowhere. */
const isNamed = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const readSkill = ({ folder }: SkillPlace, bytes: Buffer, findings: SkillFindings): Promise<AgentSkill | null> =>
  folder === null ? readFlatSkill(bytes, findings) : readFolderSkill(bytes, basename(folder), findings);

/** Null: it is not to be read, and the findings say why. */
const readFileOf = async ({ path, folder }: SkillPlace, findings: SkillFindings): Promise<Buffer | null> => {
  const real = await realpath(path);
  if (folder !== null && !real.startsWith((await realpath(folder)) + sep)) {
    return findings.skip("it is a link that leads out of its folder; put the file itself there.");
  }
  const bytes = await readPlainFile(real, SKILL_LIMITS.fileBytes);
  return bytes ?? findings.skip("it is no plain file; put one there.");
};

const markOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":");
