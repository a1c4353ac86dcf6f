/**
 * The text of a flat skill. What stands in the front matter of an earlier one and is not to change is kept as it was written.
 * What was made is read as the host will read it, so that nothing is stored that says something else than was asked for.
 */
import type { Document } from "yaml";
import { Refusal } from "../../kernel/refusal.ts";
import type { AgentSkill } from "../skills/agent-skill.ts";
import { readFlatSkill } from "../skills/read-flat-skill.ts";
import { SkillFindings } from "../skills/skill-findings.ts";
import type { SkillDraft } from "./skill-draft.ts";

type Yaml = typeof import("yaml");

/** One that is there. */
export interface SkillBefore {
  readonly skill: AgentSkill;
  readonly text: string;
  readonly warnings: readonly string[];
}

export interface SkillOrder {
  readonly name: string;
  readonly version: string;
  /** What is to stand there; what is absent stays as it was. */
  readonly draft: SkillDraft;
  readonly before: SkillBefore | null;
  /** For what is told about it. */
  readonly path: string;
}

const FRONT = /^\uFEFF?---[\t ]*\r?\n([\s\S]*?)^---[\t ]*\r?$/m;

/** Null: it is no skill. */
export const readSkillText = async (text: string, path: string): Promise<SkillBefore | null> => {
  const findings = new SkillFindings(path);
  const skill = await readFlatSkill(Buffer.from(text), findings);
  return skill === null ? null : { skill, text, warnings: findings.all() };
};

export const writeSkillText = async (order: SkillOrder): Promise<string> => {
  const { before, draft } = order;
  const yaml = await import("yaml");
  const document = before === null ? new yaml.Document({}) : parse(yaml, FRONT.exec(before.text)?.[1] ?? "");
  fill(yaml, document, order);
  const front = printed(document, order.name);
  const text = `---\n${front}\n---\n\n${draft.body ?? before?.skill.body ?? ""}\n`;
  const after = await readSkillText(text, order.path);
  const wrong = after === null ? "it could not be read" : (fault(after, order) ?? newWarning(after, before));
  if (wrong !== null) throw unwritable(order.name, wrong);
  return text;
};

const parse = (yaml: Yaml, front: string): Document =>
  yaml.parseDocument(front, {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    logLevel: "error",
    prettyErrors: false,
  });

const fill = (yaml: Yaml, document: Document, { name, version, draft, before }: SkillOrder): void => {
  const quoted = (text: string): unknown => {
    const scalar = new yaml.Scalar(text);
    scalar.type = "QUOTE_DOUBLE";
    return scalar;
  };
  const listed = (texts: readonly string[]): unknown => document.createNode(texts.map(quoted));
  if (before === null) document.set("name", quoted(name));
  if (draft.description !== undefined) document.set("description", quoted(draft.description));
  document.set("version", quoted(version));
  if (draft.type !== undefined) document.set("type", draft.type);
  if (draft.priority !== undefined) document.set("priority", draft.priority);
  if (draft.allowedTools !== undefined) {
    document.delete("allowed_tools");
    document.set("allowed-tools", listed(draft.allowedTools));
  }
  for (const key of ["triggers", "keywords"] as const) {
    const texts = draft[key];
    if (texts === undefined) continue;
    if (!yaml.isMap(document.get("metadata"))) document.set("metadata", document.createNode({}));
    document.setIn(["metadata", key], listed(texts));
  }
};

const printed = (document: Document, name: string): string => {
  try {
    return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }).trimEnd();
  } catch {
    // What was written by hand may refer to the very value that is replaced.
    throw unwritable(name, "something in its front matter refers to what would change");
  }
};

/** What would be read otherwise than it was meant; null: nothing. */
const fault = ({ skill }: SkillBefore, { name, version, draft, before }: SkillOrder): string | null => {
  const old = before?.skill ?? null;
  const { triggers: _, keywords: __, ...metadata } = skill.metadata;
  const { triggers: ___, keywords: ____, ...oldMetadata } = old?.metadata ?? {};
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    name: [skill.name, name],
    version: [skill.version, version],
    description: [skill.description, draft.description ?? old?.description ?? ""],
    type: [skill.type, draft.type ?? old?.type ?? "skill"],
    priority: [skill.priority, draft.priority ?? old?.priority ?? 50],
    allowedTools: [skill.allowedTools, draft.allowedTools ?? old?.allowedTools ?? null],
    requiresBundles: [skill.requiresBundles, old?.requiresBundles ?? []],
    triggers: [skill.triggers, draft.triggers ?? old?.triggers ?? []],
    keywords: [skill.keywords, draft.keywords ?? old?.keywords ?? []],
    metadata: [metadata, oldMetadata],
    body: [skill.body, draft.body ?? old?.body ?? ""],
  };
  const wrong = Object.entries(pairs).find(([, [is, was]]) => JSON.stringify(is) !== JSON.stringify(was));
  return wrong === undefined ? null : `${wrong[0]} would be read otherwise than it was meant`;
};

const newWarning = (after: SkillBefore, before: SkillBefore | null): string | null => {
  const warning = after.warnings.find((each) => !(before?.warnings.includes(each) ?? false));
  return warning ?? null;
};

const unwritable = (name: string, why: string): Refusal =>
  new Refusal("invalid_input", {
    message: `The skill ${name} was not written: ${why}`.replace(/\.?$/, "."),
    next: "Change what the message names and call again, or ask a person to edit the file.",
    details: { path: "", reason: why },
  });
