/** What the tools of compose work on: one of it in each workspace. */
import type { BuiltInCall } from "../kernel/built-in.ts";
import type { ParentRun } from "../kernel/call-run.ts";
import type { Principal } from "../kernel/principal.ts";
import type { MergedParts, PartsMerge } from "./assemble/merge-parts.ts";
import type { Changes } from "./assemble/tell-changes.ts";
import type { ConfigType, ArtifactConfig, ContentConfig } from "./configs/config-types.ts";
import type { ConfigReading } from "./configs/config-reading.ts";
import type { Context } from "./configs/read-context.ts";
import type { ListedGenerator, RejectedPlugin } from "./documents/generators-document.ts";
import type { ConcurrencyLimits, ShownLimits } from "./documents/server-document.ts";
import type { GeneratorEntry } from "./generators/generator-entry.ts";
import type { SelectionRule } from "./generators/select-generator.ts";
import type { Queue } from "./queue.ts";
import type { Drafts } from "./storage/drafts.ts";
import type { SavedConfig, SavedConfigs } from "./storage/saved-configs.ts";
import type { Freshness } from "./storage/stored-version.ts";
import type { VersionStore } from "./storage/version-store.ts";

export interface Workbench {
  readonly now: () => Date;
  /** As they are now, and as `capabilities://server` shows them. */
  readonly limits: () => ShownLimits & ConcurrencyLimits;
  readonly versions: VersionStore;
  readonly drafts: Drafts;
  /** Files as they are; `configs` reads them checked. */
  readonly saved: SavedConfigs;
  readonly configs: Configs;
  readonly generators: GeneratorBook;
  readonly maker: Maker;
  readonly rooted: RootedFiles;
  readonly render: RenderJinja;
  readonly merge: MergeTexts;
  readonly compare: CompareTexts;
  readonly queue: Queue;
  readonly callOn: CallOn;
  /** A config, a content, a version or a draft came, changed or went: lists are other ones now. */
  readonly changed: (uri: string) => void;
}

/** A config that was found valid. */
export interface CheckedConfig<Config> {
  readonly config: Config;
  readonly saved: SavedConfig;
  readonly reading: ConfigReading;
}

export interface Configs {
  /** ComposeError `invalid_config_id`, `config_not_found`; one that is saved and not valid: what `faulty` makes of it. */
  content(id: string): Promise<CheckedConfig<ContentConfig>>;
  artifact(id: string): Promise<CheckedConfig<ArtifactConfig>>;
  check(type: ConfigType, data: unknown): Promise<ConfigReading>;
}

export interface GeneratorsSeen {
  /** Built-in ones first, then plug-ins by path. */
  readonly generators: readonly ListedGenerator[];
  readonly rejected: readonly RejectedPlugin[];
}

/** The one registry of generators. */
export interface GeneratorBook {
  /** Looks at the plug-in folders; the same object while nothing changed. */
  look(): Promise<GeneratorsSeen>;
  /** What the last look saw. */
  seen(): GeneratorsSeen;
  run(order: GeneratorOrder): Promise<GeneratorResult>;
}

export interface GeneratorOrder {
  readonly type: string;
  readonly config: ContentConfig;
  /** The config's own, its sources and the caller's, joined. */
  readonly context: Context;
  readonly templates: Templates;
  /** Whose budget a model is asked on; null: nobody's. */
  readonly run: ParentRun | null;
  readonly signal: AbortSignal;
}

/** The text of a jinja2 template and of all that it includes by name, as they were when they were read. */
export interface Templates {
  /** Null: the generator has none. */
  readonly text: string | null;
  readonly files: ReadonlyMap<string, string>;
  /** It also includes by names that are known only when it runs: its text is never reused. */
  readonly isOpen: boolean;
}

export interface GeneratorResult {
  readonly text: string;
  readonly version: string;
  /** What else is said of it, such as tokens, cost, `fallback:true`. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface MakeOrder {
  readonly config: ContentConfig;
  /** As the caller gave it, read by `readContext`. */
  readonly context: Context;
  /** Of the agent that asks for it; null: it is not asked for by one. */
  readonly run: ParentRun | null;
  /** Whose call it is for. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

/** All that decides what the text will be, before any of it is made. */
export interface Prepared {
  readonly order: MakeOrder;
  readonly generator: GeneratorEntry;
  readonly rule: SelectionRule;
  readonly context: Context;
  readonly templates: Templates;
  /** Of the context that the caller gave and the config has, sorted. */
  readonly contextVariables: readonly string[];
  readonly freshness: Freshness;
}

export interface Made extends GeneratorResult {
  readonly prepared: Prepared;
}

export interface Maker {
  /** Chooses the generator, reads sources and template files. ComposeError where it cannot be made. */
  prepare(order: MakeOrder): Promise<Prepared>;
  /** Checks credentials, waits for its turn, makes the text, within the generator's time and the size limit. */
  make(prepared: Prepared): Promise<Made>;
}

/** Files below the roots that the configuration gives the workspace, never a client's; opened without following links out. */
export interface RootedFiles {
  /** The first usable root; null: there is none. */
  first(): string | null;
  /** Null: not there. ComposeError `generation_failed` where it is outside or too large. */
  read(path: string): Promise<string | null>;
  /** A template by its name, from `templates/` in the first root, then from the root; null: not there. */
  template(name: string): Promise<string | null>;
  /** The file as it is in a commit of the repository that a root is in; null: not there. Nothing of the repository is run. */
  git(ref: string, path: string, signal: AbortSignal): Promise<string | null>;
}

export interface RenderOrder {
  readonly text: string;
  readonly context: Context;
  /** Of what it includes; null: there is no such template. Asked for each name once. */
  readonly load: (name: string) => Promise<string | null>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** In a thread that is ended when its time is over. ComposeError `generation_failed` with the reason, `content_too_large`. */
export type RenderJinja = (order: RenderOrder) => Promise<string>;

export interface MergeOrder extends PartsMerge {
  readonly signal: AbortSignal;
}

/** What is large, in a thread that is ended when its time is over. ComposeError `assembly_failed`, `content_too_large`. */
export type MergeTexts = (order: MergeOrder) => Promise<MergedParts>;

export interface CompareOrder {
  readonly before: string;
  readonly after: string;
  readonly signal: AbortSignal;
}

/** As above. What takes too long is compared roughly. */
export type CompareTexts = (order: CompareOrder) => Promise<Changes>;

/** A tool that does another tool's work has it done through the one call path, as its own caller. */
export type CallOn = (order: CallOnOrder) => Promise<CalledOn>;

export interface CallOnOrder {
  /** Of this provider: `generate_content`. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly call: ComposeCall;
}

export type CalledOn =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

export interface ComposeCall extends BuiltInCall {
  readonly caller: Principal;
}
