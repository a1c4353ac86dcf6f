/** A skill as the agent uses it: text that guides it, and perhaps a narrowing of its tools. */
export interface AgentSkill {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** `context`: always in the prompt. `skill`: when it matches. */
  readonly type: "context" | "skill";
  /** Orders context skills among each other, and decides nothing else. */
  readonly priority: number;
  /** Globs; null: it narrows nothing; empty: only the host's own `nb__*`. */
  readonly allowedTools: readonly string[] | null;
  /** Providers without which it is of no use. */
  readonly requiresBundles: readonly string[];
  /** None is blank, and no two differ in case alone. */
  readonly triggers: readonly string[];
  readonly keywords: readonly string[];
  /** All members as they were written. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One that was found on disk. */
export interface FoundSkill extends AgentSkill {
  /** Of its file: `/…/report.md`, `/…/report/SKILL.md`. */
  readonly path: string;
  /** Its other files lie in the folder of `SKILL.md`; null: it is a file of its own. */
  readonly folder: string | null;
  /** Of which kind its directory is: `built-in`, `user`, `config`, `workspace`. */
  readonly source: string;
  /** SHA-256 of the bytes of its file, hex. */
  readonly digest: string;
}
