/** One thing found in a configuration file. */
export interface Finding {
  /** JSON pointer; empty for the file as a whole. */
  readonly pointer: string;
  readonly message: string;
}

export const formatFinding = (finding: Finding): string =>
  finding.pointer === "" ? finding.message : `${finding.pointer}: ${finding.message}`;

export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

export const pathOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
