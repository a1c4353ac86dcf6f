/** What the system tools of one workspace need of the rest of the host. */
import type { StopReason } from "../../kernel/agent.ts";
import type { BuiltInCall } from "../../kernel/built-in.ts";
import type { BundleAdmin } from "../../kernel/bundle-admin.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Surface, Surfaces } from "../../kernel/surface.ts";
import type { SkillFiles } from "./skill-files.ts";
import type { WorkspaceIndex } from "./workspace-index.ts";

export interface SystemToolPorts {
  /** Of the host. */
  readonly version: string;
  /** On the endpoint of the whole workspace, for a client without apps. */
  surface(principal: Principal): Surface;
  /** What policy refuses somebody whatever the arguments are; null: nothing is against it. */
  refused(principal: Principal, name: string): Refusal | null;
  providers(principal: Principal): ReturnType<Surfaces["providers"]>;
  /** One for the workspace. */
  readonly index: WorkspaceIndex;
  readonly bundles: Pick<BundleAdmin, "list" | "inspect" | "install" | "uninstall" | "configure" | "search">;
  /** The fields of `user_config` of a bundle that is to be installed; null: nobody can tell. */
  fieldsOf(entry: BundleWanted, workspace: string): Promise<readonly ConfigField[] | null>;
  /** The variables that its manifest names for its process; null: nobody can tell. */
  variablesOf(entry: BundleWanted, workspace: string): Promise<readonly string[] | null>;
  delegate(order: DelegateOrder, call: BuiltInCall): Promise<DelegateResult>;
  readonly skillFiles: SkillFiles;
  /** What `nb__manage_skill` changed counts from the next message on. */
  skillsChanged(name: string): void;
  /** As they are configured now. */
  features(): SystemFeatures;
}

/** A bundle by its name in a registry, or `npm:<package>`. */
export interface BundleWanted {
  readonly name: string;
  readonly version?: string;
}

export interface ConfigField {
  readonly key: string;
  readonly sensitive: boolean;
}

/** The members of `features` in the configuration that switch a system tool. */
export interface SystemFeatures {
  readonly toolDiscovery: boolean;
  readonly bundleDiscovery: boolean;
  readonly bundleManagement: boolean;
  readonly skillManagement: boolean;
  readonly delegation: boolean;
}

export interface DelegateOrder {
  readonly task: string;
  /** A profile's name; null: none. */
  readonly agent: string | null;
  /** Globs; null: as the profile has it. */
  readonly tools: readonly string[] | null;
  /** From 1; null: as the profile has it. */
  readonly maxIterations: number | null;
}

export interface DelegateResult {
  readonly response: string;
  readonly stopReason: StopReason;
  readonly iterations: number;
  readonly toolCalls: readonly { readonly name: string; readonly ok: boolean; readonly ms: number }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runId: string;
}
