/**
 * Bundles as people steer them, in the words of every door. Who asked for what is recorded before it is done. What names one
 * bundle throws Refusal `not_found` where the workspace has none of that name.
 */
import type { ProviderState } from "./provider.ts";
import type { Refusal } from "./refusal.ts";

/** Who asks, and for which workspace. */
export interface Asking {
  /** A principal's id, for evidence. */
  readonly by: string;
  readonly workspace: string;
}

/** A bundle in a list. */
export interface BundleSeen {
  /** The provider's name. */
  readonly name: string;
  /** What its package calls itself; null: nobody knows yet. */
  readonly bundleName: string | null;
  readonly version: string | null;
  readonly source: "name" | "path" | "url" | "built-in";
  readonly status: ProviderState;
  readonly health: "ok" | "degraded" | "down";
  readonly since: number;
  readonly uptimeMs: number;
  readonly restartsInWindow: number;
  readonly lastExit: string | null;
  readonly lastError: string | null;
  readonly toolCount: number;
  readonly heldTools: number;
  readonly trustScore: number | null;
  readonly protected: boolean;
  readonly ui: object | null;
  readonly placements: readonly object[];
  /** `bwrap`, or that it runs without; null: it is no process of ours. */
  readonly sandbox: "bwrap" | "off" | null;
  readonly warnings: readonly string[];
  /** Why it is not running, and what a person does about it. */
  readonly reason?: string;
  readonly next?: string;
  /** What the install gate said, for one in state `refused`. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly data: object };
}

/** One bundle with all that a person may want to know before trusting it. */
export interface BundleDetail extends BundleSeen {
  /** For people: where its package came from. */
  readonly origin: string | null;
  readonly digest: string | null;
  readonly certificationLevel: string | null;
  /** Host extensions that it is offered. */
  readonly extensions: readonly string[];
  readonly dataPath: string | null;
  readonly tools: readonly { readonly name: string; readonly held?: string }[];
  /** The fields of its manifest's `user_config`, never a value of a sensitive one. */
  readonly userConfig: readonly {
    readonly key: string;
    readonly title: string;
    readonly required: boolean;
    readonly sensitive: boolean;
    readonly isSet: boolean;
  }[];
  readonly held: readonly HeldDefinition[];
}

/** A definition that nobody has accepted yet. */
export interface HeldDefinition {
  /** A tool's own name; null: the server's instructions. */
  readonly tool: string | null;
  readonly reason: "definition_changed" | "definition_new";
  /** `sha256:…` of what was accepted, and of what the server offers now. */
  readonly accepted: string | null;
  readonly offered: string;
  /** Both as they are compared; `before` is null for a new one. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** A person's yes to held definitions that were looked at. */
export interface Acceptance {
  /** Tools' own names; null: all that is held, the instructions among them. */
  readonly tools: readonly string[] | null;
  /** `offered` of each definition that was looked at: the yes is for those alone. */
  readonly offered: readonly string[];
}

export interface InstallProgress {
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

export interface BundleFound {
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  readonly registry: string;
  readonly trustScore: number | null;
  readonly certificationLevel: string | null;
  readonly installed: boolean;
  readonly tools: readonly string[];
}

export interface BundleSearch {
  readonly bundles: readonly BundleFound[];
  readonly unreachable: readonly { readonly registry: string; readonly reason: string }[];
}

export interface Uninstalled {
  readonly name: string;
  readonly uninstalled: true;
  readonly dataPreserved: true;
  readonly dataPath: string;
}

/** What a reload did, by provider name or by key. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Keys that hold from the next start of the host on. */
  readonly needRestart: readonly string[];
  readonly warnings: readonly string[];
}

export interface BundleAdmin {
  list(workspace: string): readonly BundleSeen[];
  inspect(workspace: string, name: string): Promise<BundleDetail>;
  logs(workspace: string, name: string): readonly string[];
  /** Answers the state it is in then. */
  change(
    change: "start" | "stop" | "restart",
    name: string,
    asking: Asking,
  ): Promise<{ readonly name: string; readonly status: ProviderState }>;
  /**
   * `entry` as it would stand in the configuration. Resolves when it is written there and the bundle is running, or waits
   * for somebody's account; whatever fails before leaves neither process nor entry. Refusal `bad_request`, `already_installed`, `name_taken`,
   * `install_refused`, `credentials_required`, `not_ready` (it did not come up).
   */
  install(
    entry: Readonly<Record<string, unknown>>,
    asking: Asking,
    onProgress: (progress: InstallProgress) => void,
  ): Promise<BundleSeen>;
  /** Refusal `protected`. */
  uninstall(name: string, asking: Asking): Promise<Uninstalled>;
  /** Refusal `stale_surface` where the server has changed one since it was looked at; then nothing is accepted. */
  accept(
    name: string,
    yes: Acceptance,
    asking: Asking,
  ): Promise<{ readonly name: string; readonly accepted: readonly HeldDefinition[] }>;
  /**
   * Stores values of `user_config`, and starts the bundle again with them unless it is stopped. A null takes a value out.
   * Refusal `bad_request` for what its manifest does not have or not so; then nothing is stored.
   */
  configure(
    name: string,
    values: Readonly<Record<string, unknown>>,
    asking: Asking,
  ): Promise<{ readonly name: string; readonly stored: readonly string[]; readonly status: ProviderState }>;
  search(query: string, order: { readonly limit: number; readonly workspace: string }): Promise<BundleSearch>;
  /** Refusal `bad_request` with the errors when the file cannot be used; then nothing changed. */
  reload(asking: Asking): Promise<Reloaded>;
  /** A door did not let somebody ask for this, which is recorded; at most once a minute for each. */
  turnedAway(wanted: string, refusal: Refusal, asking: Asking): void;
}
