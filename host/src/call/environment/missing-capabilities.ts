/** The entries of `required`, in their order, that are not declared. Equality and nothing else: no prefix, no wildcard. */
export const missingCapabilities = (required: readonly string[], declared: ReadonlySet<string>): readonly string[] =>
  required.filter((capability) => capability !== "" && !declared.has(capability));
