/** The `SKILL.md` of a folder, as the format of Agent Skills has it. What deviates from that format is told and served. */
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
import type { SkillFindings } from "./skill-findings.ts";

const KNOWN = {
  here: ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "allowed_tools"],
  elsewhere: {
    triggers: "metadata.triggers",
    keywords: "metadata.keywords",
    type: "metadata.type",
    priority: "metadata.priority",
    version: "metadata.version",
  },
};
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST = { name: 64, description: 1_024, compatibility: 500 };
const VERSION = "0.0.0";

/** `folder`: its name, which the skill has where it gives itself none. Null: it is no skill, and the findings say why. */
export const readFolderSkill = async (
  bytes: Buffer,
  folder: string,
  findings: SkillFindings,
): Promise<AgentSkill | null> => {
  const front = await readFront(bytes, findings);
  return front === null ? null : folderSkillOf(front, folder, findings);
};

/** The same of front matter that was read already. */
export const folderSkillOf = (front: SkillFront, folder: string, findings: SkillFindings): AgentSkill => {
  const { fields, body, sourceOf } = front;
  noteUnknown(fields, KNOWN, findings);
  const metadata = metadataField(fields["metadata"], findings);
  const type = typeField("metadata.type", metadata["type"], findings);
  const priority = priorityField("metadata.priority", numberIn(metadata["priority"]), findings);
  notePriority(type, priority, findings);
  const { version } = metadata;
  return {
    name: nameOf(fields["name"], folder, findings),
    description: descriptionOf(fields, findings),
    version: typeof version === "string" && version !== "" ? version : (sourceOf("/metadata/version") ?? VERSION),
    type,
    priority,
    allowedTools: readGlobs(fields, findings, "folder"),
    requiresBundles: [],
    triggers: textsField("metadata.triggers", metadata["triggers"], findings),
    keywords: textsField("metadata.keywords", metadata["keywords"], findings),
    metadata,
    body,
  };
};

const nameOf = (given: unknown, folder: string, findings: SkillFindings): string => {
  const name = oneLine(textField("name", given, findings) ?? "") || oneLine(folder);
  if (name.length > LONGEST.name || !NAME.test(name)) {
    findings.warn(`its name should be 1 to ${LONGEST.name} small letters, digits and single hyphens.`);
  }
  return name;
};

const descriptionOf = (fields: Readonly<Record<string, unknown>>, findings: SkillFindings): string => {
  const description = textField("description", fields["description"], findings) ?? "";
  if (description === "" || description.length > LONGEST.description) {
    findings.warn(`its description should have 1 to ${LONGEST.description} characters.`);
  }
  const compatibility = textField("compatibility", fields["compatibility"], findings) ?? "";
  if (compatibility.length > LONGEST.compatibility) {
    findings.warn(`compatibility should have at most ${LONGEST.compatibility} characters.`);
  }
  textField("license", fields["license"], findings);
  return description;
};

/** In this format the values of metadata are texts. */
const numberIn = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value) ? Number(value) : value;
