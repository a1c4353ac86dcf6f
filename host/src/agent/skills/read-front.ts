/** A skill's file in its two parts: what its front matter says, and the body. */
import { readYaml } from "../../kernel/read-yaml.ts";
import type { SkillFindings } from "./skill-findings.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

export interface SkillFront {
  readonly fields: Readonly<Record<string, unknown>>;
  /** A number as it was written; null: there is none at this JSON pointer. */
  readonly sourceOf: (pointer: string) => string | null;
  readonly body: string;
}

const OPENING = /^\uFEFF?---[\t ]*\r?\n/;
const CLOSING = /^---[\t ]*\r?$/m;
/** What is no number of JSON is told where the field is read. */
const FORGIVEN: ReadonlySet<string> = new Set(["/priority", "/metadata/priority"]);

/** Null: it is no skill, and the findings say why. */
export const readFront = async (bytes: Buffer, findings: SkillFindings): Promise<SkillFront | null> => {
  if (bytes.length > SKILL_LIMITS.fileBytes) {
    return findings.skip(`it has more than ${SKILL_LIMITS.fileBytes} bytes; make it shorter.`);
  }
  const text = decode(bytes);
  if (text === null) return findings.skip("it is not UTF-8; save it as UTF-8.");
  const head = OPENING.exec(text.slice(0, 64));
  if (head === null) return findings.skip('it does not begin with front matter; begin it with a line "---".');
  const rest = text.slice(head[0].length);
  const end = CLOSING.exec(rest);
  if (end === null) return findings.skip('its front matter does not end; end it with a line "---".');
  const body = rest.slice(end.index + end[0].length).trim();
  if (Array.from(body).length > SKILL_LIMITS.bodyChars) {
    return findings.skip(`its body has more than ${SKILL_LIMITS.bodyChars} characters; move some of it elsewhere.`);
  }
  const front = await readFields(rest.slice(0, end.index), findings);
  return front === null ? null : { ...front, body };
};

const readFields = async (yaml: string, findings: SkillFindings): Promise<Omit<SkillFront, "body"> | null> => {
  const { value, broken, faults, warnings, sourceOf } = await readYaml(yaml);
  const fault = broken ?? faults.find(({ pointer, rounded }) => rounded !== true && !FORGIVEN.has(pointer));
  if (fault !== undefined) {
    const what = `${fault.pointer} ${fault.message}`.trim();
    return findings.skip(`its front matter is no usable YAML (${what}); mend line ${fault.line + 1}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return findings.skip('its front matter is no mapping; write it as keys and values, such as "name: report".');
  }
  for (const { line, message } of warnings) findings.warn(`line ${line + 1}: ${message}.`);
  return { fields: value as Readonly<Record<string, unknown>>, sourceOf };
};

const decode = (bytes: Buffer): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};
