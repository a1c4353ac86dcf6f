/** The system prompt as it is put together, and where each part of it comes from. */
export interface PromptPart {
  /** 1: who the agent is. 2: what always holds. 3: the installed apps. 4: the skill of this message. */
  readonly layer: 1 | 2 | 3 | 4;
  /** For people: `host`, `configuration: identity`, `skill soul (/…/soul.md)`, `bundle echo`. */
  readonly source: string;
  readonly text: string;
}

/** A skill whose text goes into the prompt. */
export interface PromptSkill {
  readonly name: string;
  readonly body: string;
  /** The provider that supplied it, whose text is untrusted; null: somebody put it on the host's disk. */
  readonly server: string | null;
  /** Where it lies; null: nowhere. */
  readonly path: string | null;
}

/** A skill that the model can read by itself. */
export interface CatalogueEntry {
  readonly name: string;
  readonly description: string;
  readonly server: string | null;
  /** Environment capabilities that its tools require and the host does not declare. */
  readonly missing: readonly string[];
}

/** An installed bundle. Nothing of what it does at this moment belongs here. */
export interface PromptApp {
  readonly name: string;
  /** What its UI is called; null: it has none. */
  readonly ui: string | null;
  readonly trustScore: number | null;
  readonly description: string | null;
  /** Those that were accepted. */
  readonly instructions: string | null;
}
