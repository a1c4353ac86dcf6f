/** Skills and skill packages of a workspace, as people and agents look at them. */
import type { Asking } from "./bundle-admin.ts";
import type { Principal } from "./principal.ts";

export type PackageReason =
  | "missing_skill_md"
  | "read_error"
  | "missing_frontmatter"
  | "invalid_frontmatter_yaml"
  | "invalid_frontmatter_shape"
  | "non_spec_top_level_keys"
  | "tools_file_missing"
  | "unreferenced_tools_file"
  | "path_outside_package"
  | "invalid_tool"
  | "duplicate_tool";

/** What is wrong with a package, or could be better. Never an absolute path. */
export interface PackageDiagnostic {
  readonly reason_code: PackageReason;
  readonly package: string;
  readonly tool?: string;
  /** `<file>#<JSON pointer>`, such as `tools.yaml#/tools/3/input_schema`. */
  readonly pointer?: string;
  /** Of the file in `pointer`, from 1. */
  readonly line?: number;
  readonly message: string;
  readonly suggested_fix: string;
  /** True: it was served all the same. */
  readonly warning?: true;
}

export interface SkillSeen {
  readonly name: string;
  readonly kind: "skill" | "package";
  /** `context`: always in the agent's prompt. `skill`: when it matches a message. */
  readonly type: "context" | "skill";
  /** Orders context skills among each other, and decides nothing else. */
  readonly priority: number;
  readonly description: string;
  /** Of which kind its directory is: built-in, the user's, the configuration's, the workspace's; or `bundle:<provider>`. */
  readonly source: string;
  /** The provider that supplied it; absent: it lies on the host's disk. */
  readonly server?: string;
  /** `metadata.dcc-mcp.dcc` of a package. */
  readonly dcc: string | null;
  /** Flat names: a package's own; of a skill those that its `allowed-tools` match now. */
  readonly tools: readonly string[];
  readonly allowed_tools?: readonly string[];
  /** Over all those tools, sorted, each once. */
  readonly required_capabilities: readonly string[];
  readonly missing_capabilities: readonly string[];
  /** `held`: changed on disk, and nobody has accepted that. `unavailable`: something that it needs does not run. */
  readonly state: "ready" | "held" | "broken" | "unavailable";
  readonly reason: string | null;
  readonly diagnostics: readonly PackageDiagnostic[];
}

interface Differences {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** How a package differs from what was accepted of it. */
export interface PackageChanges {
  /** Flat names. Changed is one whose own definition or script is another. */
  readonly tools: Differences;
  /** Of tools that are there now and require something else; before: empty for a new one. */
  readonly required: readonly {
    readonly tool: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
  }[];
  /** Paths in the package. */
  readonly files: Differences;
}

export interface PackageDetail extends SkillSeen {
  readonly version: string | null;
  readonly digest: string | null;
  readonly accepted: string | null;
  /** Null: it is not held, or nothing of it was ever accepted. */
  readonly changes: PackageChanges | null;
  /** Variables that its scripts want, and which of them an operator granted. */
  readonly env: readonly { readonly name: string; readonly granted: boolean }[];
  readonly groups: readonly { readonly name: string; readonly active: boolean; readonly tools: readonly string[] }[];
  /** The rest of `metadata.dcc-mcp`: tags, depends, products, search-aliases, search-hint. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The last lines that its scripts wrote for people, oldest first, redacted. */
  readonly logs: readonly string[];
}

export interface SkillFilter {
  /** Only those of which nothing is missing. */
  readonly satisfied?: boolean;
  readonly dcc?: string;
}

export interface SkillList {
  readonly skills: readonly SkillSeen[];
  /** About files that were skipped or are odd: sentences that name the file, with its path on the host, and what to do. */
  readonly warnings: readonly string[];
}

export interface SkillAdmin {
  /** Of their workspace, looked at anew, as far as they may name what is in them. */
  list(viewer: Principal, filter?: SkillFilter): Promise<SkillList>;
  /** Null: there is none of this name for them. Of a skill that is no package what `list` says. */
  get(viewer: Principal, name: string): Promise<SkillSeen | PackageDetail | null>;
  /**
   * Takes a package as it is on disk now. `digest`: the one that was looked at; Refusal `stale_surface` where it is another
   * one by now, `not_found` for what is no package.
   */
  accept(name: string, digest: string, asking: Asking): Promise<PackageDetail>;
}
