/** The front matter of a `SKILL.md`, as a package has it: between `---` lines, from the first byte on. */
import type { PackageReason } from "../../kernel/skill-admin.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import { readYaml, type YamlFault } from "../../kernel/read-yaml.ts";
import { isMapping } from "./shapes.ts";

export interface FrontMatter {
  readonly value: Readonly<Record<string, unknown>>;
  /** Of the place in SKILL.md. */
  readonly lineOf: (pointer: string) => number;
  /** What was taken as something else than it was meant to be. */
  readonly warnings: readonly YamlFault[];
}

export interface FrontMatterFault {
  readonly reason: PackageReason;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
}

const OPENING = /^---[\t ]*\r?\n/;
const CLOSING = /^---[\t ]*\r?$/m;

export const readFrontMatter = async (bytes: Buffer): Promise<FrontMatter | { readonly fault: FrontMatterFault }> => {
  if (bytes.length > SKILL_LIMITS.manifestBytes) {
    return faultOf("read_error", `SKILL.md has more than ${SKILL_LIMITS.manifestBytes} bytes.`, "Make it shorter.");
  }
  const text = decode(bytes);
  if (text === null) return faultOf("read_error", "SKILL.md is not UTF-8.", "Save it as UTF-8.");
  const head = OPENING.exec(text.slice(0, 64));
  if (head === null) {
    return faultOf("missing_frontmatter", "SKILL.md does not begin with front matter.", 'Begin it with a line "---".');
  }
  const rest = text.slice(head[0].length, head[0].length + SKILL_LIMITS.frontMatterChars);
  const end = CLOSING.exec(rest);
  if (end === null) {
    return faultOf("missing_frontmatter", "The front matter of SKILL.md does not end.", 'End it with a line "---".');
  }
  const { value, broken, faults, warnings, lineOf } = await readYaml(rest.slice(0, end.index));
  const [fault] = broken === null ? faults.filter(({ rounded }) => rounded !== true) : [broken];
  if (fault !== undefined) {
    const line = fault.line + 1;
    const message = `The front matter of SKILL.md is no usable YAML: ${fault.pointer} ${fault.message}.`.replace(
      ":  ",
      ": ",
    );
    return faultOf("invalid_frontmatter_yaml", message, `Mend line ${line} of SKILL.md.`, line);
  }
  if (!isMapping(value)) {
    const message = "The front matter of SKILL.md is no mapping.";
    return faultOf("invalid_frontmatter_shape", message, 'Write it as keys and values, such as "name: …".', 2);
  }
  const told = [...faults, ...warnings].map(({ pointer, line, message }) => ({ pointer, line: line + 1, message }));
  return { value, lineOf: (pointer) => lineOf(pointer) + 1, warnings: told };
};

const faultOf = (
  reason: PackageReason,
  message: string,
  fix: string,
  line = 1,
): { readonly fault: FrontMatterFault } => ({
  fault: { reason, line, message, fix },
});

const decode = (bytes: Buffer): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};
