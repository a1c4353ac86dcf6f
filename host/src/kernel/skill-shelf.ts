/** Skills as the agent uses them, as far as those who list them want to know. */
import type { Principal } from "./principal.ts";

export interface ShelvedSkill {
  readonly name: string;
  readonly description: string;
  /** `context`: always in the prompt. `skill`: when it matches. */
  readonly type: "context" | "skill";
  /** Orders context skills among each other, and decides nothing else. */
  readonly priority: number;
  /** Of which kind its directory is, or `bundle:<provider>`. Never an absolute path. */
  readonly source: string;
  /** The provider that supplied it; null: somebody put it on the host's disk. */
  readonly server: string | null;
  /** As its directory names it; null: it has no folder. */
  readonly folder: string | null;
  /** It also provides tools. */
  readonly isPackage: boolean;
  /** Globs; null: it narrows nothing. */
  readonly allowedTools: readonly string[] | null;
  /** Why it cannot be used now; null: it can. */
  readonly reason: string | null;
}

export interface SkillShelf {
  /** In load order. */
  readonly skills: readonly ShelvedSkill[];
  /** Sentences that name a file, with its path on the host, and what to do about it. */
  readonly warnings: readonly string[];
}

/** Looks at them anew. Skills of servers: those that this principal may see. */
export type ShelveSkills = (viewer: Principal) => Promise<SkillShelf>;
