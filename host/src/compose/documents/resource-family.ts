/** Resources that share a scheme, as `capabilities://resources` describes them. */
export interface FamilyParameter {
  readonly type: "string";
  readonly description: string;
  readonly enum?: readonly string[];
}

export interface ResourceFamily {
  /** The key that it stands under: two of one document never share it. */
  readonly name: string;
  /** URI templates with simple parameters. */
  readonly patterns: readonly string[];
  readonly mimeType: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, FamilyParameter>>;
  /** URIs that can be read now. */
  readonly examples: readonly string[];
}
