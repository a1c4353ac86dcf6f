/** What an import would do, one thing a step, and what it needs for that. */
import type { RawEntry } from "./config-entries.ts";
import type { WantedVariable } from "./import-variables.ts";

export interface ImportStep {
  readonly kind: "bundle" | "setting" | "skill" | "conversation";
  /** As the source calls it. */
  readonly from: string;
  /** As it is called here; null: it is skipped. */
  readonly to: string | null;
  readonly action: "add" | "there" | "skip";
  /** Why it is skipped or called otherwise, and what does not come with it. */
  readonly notes: readonly string[];
}

export interface ImportCopy {
  readonly kind: "skill" | "conversation";
  /** Absolute, both. */
  readonly from: string;
  readonly to: string;
  /** Paths below `from` with `/`; null: `from` is a file itself. */
  readonly files: readonly string[] | null;
}

export interface ImportPlan {
  readonly steps: readonly ImportStep[];
  readonly variables: readonly WantedVariable[];
  /** Put behind the entries that there are. */
  readonly bundles: readonly RawEntry[];
  /** Set in the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Packages of their own for servers that are commands. */
  readonly manifests: readonly { readonly directory: string; readonly text: string }[];
  readonly copies: readonly ImportCopy[];
}

/** Something of the source that lies on disk. */
export interface FoundFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** See `ImportCopy`. */
  readonly files: readonly string[] | null;
  /** Whether there is one of its name at its place here already. */
  readonly state: "new" | "same" | "other";
  /** Why it cannot be taken; null: it can. */
  readonly fault: string | null;
}

export interface ForeignConfig {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ForeignServer {
  readonly name: string;
  readonly value: unknown;
  /** What its relative paths are relative to. */
  readonly baseDir: string;
}

export interface ImportSource {
  readonly kind: "nimblebrain" | "client";
  readonly path: string;
  readonly configs: readonly ForeignConfig[];
  readonly servers: readonly ForeignServer[];
  readonly skills: readonly FoundFile[];
  readonly conversations: readonly FoundFile[];
  /** What was seen and is not part of it. */
  readonly notes: readonly string[];
}

/** Where all that goes. */
export interface ImportPlace {
  readonly workspace: string;
  readonly configFile: string;
  /** Of the configuration file: relative paths in it start there. */
  readonly baseDir: string;
  /** Its JSON as it is now. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Names of bundles that come with the host. */
  readonly builtIn: readonly string[];
  /** Where packages are made for servers that are commands. */
  readonly importedDir: string;
  readonly skillsDir: string;
  /** Null: conversations are not kept on disk. */
  readonly conversationsDir: string | null;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The manifest in a directory below `importedDir`; null: there is none. */
  readonly manifestIn: (directory: string) => string | null;
}
