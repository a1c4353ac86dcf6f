/** A skill package as it was read: what its files say, checked, and what is wrong with them. */
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import type { RiskTier } from "../../kernel/risk-tier.ts";

/** By what a script is run. */
export type ScriptKind = "python" | "node" | "typescript" | "shell" | "program";

export interface PackageTool {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** `tools.yaml` has no input schema for it. */
  readonly incompleteSchema: boolean;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly required: readonly string[];
  /** As MCP has them; null: none were given. */
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly readOnly: boolean;
  /** Relative to the package, with `/`. */
  readonly script: string;
  readonly kind: ScriptKind;
  readonly execution: "sync" | "async";
  readonly timeoutS: number;
  readonly affinity: "any" | "main";
  /** It is active when one of them is, or there is none. */
  readonly groups: readonly string[];
  /** It is perhaps in a group that could not be read. Then it counts as inactive where there is no other. */
  readonly hasUnreadGroup: boolean;
  readonly risk: RiskTier | null;
  readonly nextTools: { readonly onSuccess: readonly string[]; readonly onFailure: readonly string[] } | null;
  readonly searchAliases: readonly string[];
  /** What else is carried to those who look: side_effects, call_examples, produces, requires, intent, tool_role. */
  readonly carried: Readonly<Record<string, unknown>>;
}

export interface PackageGroup {
  readonly name: string;
  readonly description: string | null;
  /** Those that are served. */
  readonly tools: readonly string[];
  readonly defaultActive: boolean;
}

export interface SkillPackage {
  readonly name: string;
  readonly description: string;
  /** Absolute, real. */
  readonly dir: string;
  /** Absolute, as the directory that it was found in names it. */
  readonly folder: string;
  /** Of which kind its directory is; never an absolute path. */
  readonly source: string;
  readonly dcc: string | null;
  readonly version: string;
  readonly searchAliases: readonly string[];
  /** Null: it does not narrow anything. */
  readonly allowedTools: readonly string[] | null;
  /** The rest of `metadata.dcc-mcp`, for those who look: tags, depends, products, search-hint. */
  readonly carried: Readonly<Record<string, unknown>>;
  /** Variables that its scripts want. */
  readonly env: readonly string[];
  readonly tools: readonly PackageTool[];
  readonly groups: readonly PackageGroup[];
  /** False: nothing of it is served, and the diagnostics say why. */
  readonly usable: boolean;
  readonly diagnostics: readonly PackageDiagnostic[];
  /** `sha256:<hex>` over every file of it: paths and bytes; null: they could not all be read. */
  readonly digest: string | null;
  /** SHA-256 of the bytes of its `SKILL.md`, hex; null: there is none that could be read. */
  readonly manifest: string | null;
  /** Of each file and link by itself, by path; empty where there is no digest of all. */
  readonly files: ReadonlyMap<string, string>;
}
