/** What several tools require of the host together, and what of that is missing: each name once, by code point. */
export interface ToolRequirement {
  /** `provider__tool` */
  readonly flat: string;
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

export interface RequirementUnion {
  readonly required_capabilities: readonly string[];
  readonly missing_capabilities: readonly string[];
}

export const unionRequirements = (tools: Iterable<Omit<ToolRequirement, "flat">>): RequirementUnion => {
  const required = new Set<string>();
  const missing = new Set<string>();
  for (const tool of tools) {
    for (const name of tool.required) required.add(name);
    for (const name of tool.missing) missing.add(name);
  }
  return { required_capabilities: sorted(required), missing_capabilities: sorted(missing) };
};

const sorted = (names: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => name !== "").toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
