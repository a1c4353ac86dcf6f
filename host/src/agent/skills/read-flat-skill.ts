/** One `<name>.md`: front matter and body. Pure but for the time it takes. */
import { oneLine } from "../prompt/one-line.ts";
import type { AgentSkill } from "./agent-skill.ts";
import { readFront, type SkillFront } from "./read-front.ts";
import { readGlobs } from "./read-globs.ts";
import {
  metadataField,
  notePriority,
  noteUnknown,
  priorityField,
  textField,
  textsField,
  typeField,
} from "./skill-fields.ts";
import { quoted, type SkillFindings } from "./skill-findings.ts";

const KNOWN = {
  here: [
    "name",
    "description",
    "version",
    "type",
    "priority",
    "allowed-tools",
    "allowed_tools",
    "requires-bundles",
    "metadata",
  ],
  elsewhere: {
    triggers: "metadata.triggers",
    keywords: "metadata.keywords",
    category: "metadata.category",
    tags: "metadata.tags",
    author: "metadata.author",
  },
};
const VERSION = "0.0.0";

/** Null: it is no skill, and the findings say why. */
export const readFlatSkill = async (bytes: Buffer, findings: SkillFindings): Promise<AgentSkill | null> => {
  const front = await readFront(bytes, findings);
  if (front === null) return null;
  const { fields, body } = front;
  const name = typeof fields["name"] === "string" ? oneLine(fields["name"]) : "";
  if (name === "") return findings.skip("it has no name; give it name: with a text.");
  if (name !== fields["name"]) findings.warn(`its name counts as ${quoted(name)}; write it so.`);
  noteUnknown(fields, KNOWN, findings);
  const metadata = metadataField(fields["metadata"], findings);
  const type = typeField("type", fields["type"], findings);
  const priority = priorityField("priority", fields["priority"], findings);
  notePriority(type, priority, findings);
  return {
    name,
    description: textField("description", fields["description"], findings) ?? "",
    version: versionOf(front, findings),
    type,
    priority,
    allowedTools: readGlobs(fields, findings, "flat"),
    requiresBundles: textsField("requires-bundles", fields["requires-bundles"], findings),
    triggers: textsField("metadata.triggers", metadata["triggers"], findings),
    keywords: textsField("metadata.keywords", metadata["keywords"], findings),
    metadata,
    body,
  };
};

/** `1.10` is a number in YAML, and another one than was meant. */
const versionOf = ({ fields, sourceOf }: SkillFront, findings: SkillFindings): string => {
  const { version } = fields;
  const text = typeof version === "number" ? sourceOf("/version") : textField("version", version, findings);
  return text === null || text === "" ? VERSION : text;
};
