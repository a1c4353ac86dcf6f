/** One skill as it is served: its entry, its files, and what its folders hold. */
import type { ListedResource, ListedSkill } from "../kernel/provider.ts";

export interface SkillFile {
  readonly uri: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** `sha256:<hex>` */
  readonly digest: string;
  /** Where it lies. */
  readonly at: string;
  /** Where its skill lies. */
  readonly folder: string;
}

/** What a folder of a skill holds, as `resources/directory/read` gives it out. */
export interface Child {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size?: number;
}

export interface Skill {
  readonly name: string;
  /** As its directory names it, for people. */
  readonly folder: string;
  readonly listed: ListedSkill;
  /** Its `SKILL.md`, for clients that know nothing of skills. */
  readonly resource: ListedResource;
  readonly files: readonly SkillFile[];
  /** By the URI of the folder, without a slash at its end. */
  readonly folders: ReadonlyMap<string, readonly Child[]>;
  /** What is not as it should be, though it is served. */
  readonly warnings: readonly string[];
}
