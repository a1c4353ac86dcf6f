/** Content and artifact configs as their schemas let them through. Whatever else stands in a config is kept, and unknown here. */
export type ConfigType = "content" | "artifact";

export interface ContentElement {
  readonly name: string;
  readonly example_output?: unknown;
  readonly review_status?: "pending" | "approved" | "needs_revision";
  readonly [field: string]: unknown;
}

export interface PatternVariable {
  readonly name: string;
  readonly source: string;
  readonly default?: unknown;
}

export interface GenerationPattern {
  readonly id: string;
  readonly type?: string;
  readonly template?: string;
  readonly specification?: string;
  readonly variables?: readonly PatternVariable[];
  readonly generation_config?: Readonly<Record<string, unknown>>;
}

export interface InputSource {
  readonly id: string;
  readonly source_type: string;
  readonly source_locator: unknown;
  readonly data_selector?: string;
  readonly required?: boolean;
}

export interface ConfigRule {
  readonly id: string;
  readonly check_type: "presence" | "format" | "syntax";
  readonly target: string;
  readonly check_config: Readonly<Record<string, unknown>>;
  readonly severity: "error" | "warning" | "info";
}

export interface Evolution {
  readonly stage?: "draft" | "review" | "approved" | "deprecated";
  readonly history?: readonly unknown[];
}

export interface ContentConfig {
  readonly type: "content";
  readonly id: string;
  readonly metadata: {
    readonly description: string;
    readonly version: string;
    readonly generation_frequency?: string;
    readonly output_format?: string;
  };
  readonly elements: readonly ContentElement[];
  readonly inputs?: { readonly sources?: readonly InputSource[] };
  readonly generation?: { readonly patterns?: readonly GenerationPattern[] };
  readonly validation?: { readonly rules?: readonly ConfigRule[] };
  readonly evolution?: Evolution;
}

export type RetrievalStrategy = "latest" | "all" | "version" | "approved_only";

export interface ArtifactChild {
  readonly id: string;
  readonly path?: string;
  readonly required?: boolean;
  readonly order?: number;
  readonly version?: string;
  readonly retrievalStrategy?: RetrievalStrategy;
  /** By context path. */
  readonly conditions?: Readonly<Record<string, unknown>>;
  readonly review_required?: boolean;
}

export interface ArtifactOutput {
  readonly file: string;
  readonly format: string;
  readonly encoding?: string;
}

export interface CompositionConfig {
  readonly separator?: string;
  readonly template?: string;
  readonly arrays?: "concat" | "replace" | "unique";
}

export interface ArtifactConfig {
  readonly type: "artifact";
  readonly id: string;
  readonly metadata: {
    readonly title: string;
    readonly purpose: string;
    readonly outputs: readonly ArtifactOutput[];
    readonly type?: string;
    readonly compositionStrategy?: "concat" | "merge" | "template";
    readonly compositionConfig?: CompositionConfig;
  };
  readonly content: { readonly children: readonly ArtifactChild[] };
  readonly dependencies?: readonly unknown[];
  readonly validation?: { readonly rules?: readonly ConfigRule[] };
  readonly evolution?: Evolution;
}
