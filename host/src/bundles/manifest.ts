/**
 * What the host uses of an MCPB `manifest.json`, after `checkManifest` accepted it.
 */
export interface CommandConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type UserConfigValue = string | number | boolean | readonly string[];

export interface UserConfigField {
  readonly type: "string" | "number" | "boolean" | "directory" | "file";
  readonly title: string;
  readonly required?: boolean;
  readonly default?: UserConfigValue;
  readonly multiple?: boolean;
  readonly sensitive?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly server: {
    readonly type: "node" | "python" | "binary" | "uv";
    readonly entry_point?: string;
    readonly mcp_config?: CommandConfig & {
      readonly platform_overrides?: Readonly<Record<string, Partial<CommandConfig>>>;
    };
  };
  readonly compatibility?: { readonly platforms?: readonly string[] };
  readonly user_config?: Readonly<Record<string, UserConfigField>>;
  readonly _meta?: unknown;
}

/** A manifest is a page of text; what is larger is something else. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

export type ManifestProfile = "strict" | "tolerant";

/** One thing found while reading: where, and what. */
export interface ManifestFinding {
  readonly pointer: string;
  readonly message: string;
}

export const writeFinding = (finding: ManifestFinding): string =>
  `${finding.pointer === "" ? "/" : finding.pointer}: ${finding.message}`;
