/** `nb__manage_skill`: writes, changes and deletes the skills that a workspace keeps for itself. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import { SKILL_LIMITS } from "../skills/skill-limits.ts";
import { requirePermission } from "./require-permission.ts";
import { LONGEST_NAME, SKILL_NAME, type SkillDraft } from "./skill-draft.ts";
import type { SkillFiles, SkillWritten } from "./skill-files.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer, invalidInput } from "./tool-answers.ts";
import { list, object, text } from "./tool-schemas.ts";

interface SkillArguments extends SkillDraft {
  readonly action: "create" | "update" | "delete";
  readonly name: string;
  readonly mode?: "append" | "replace";
}

const entries = (description: string): object =>
  list(description, { type: "string", minLength: 1, maxLength: 256 }, { maxItems: SKILL_LIMITS.listItems });

export const manageSkillTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "manage_skill",
    title: "Manage skills",
    description:
      "Creates, updates or deletes a skill of this workspace: instructions that guide you when a message matches its triggers or keywords. " +
      "It usually waits for a person's approval and takes effect with the next message. An update needs mode: append adds body, triggers and keywords " +
      "to those there are, replace puts them in place of those; whatever is not given stays as it is. The previous text is kept.",
    inputSchema: object(
      {
        action: text("What to do", { enum: ["create", "update", "delete"] }),
        name: text("Its name: small letters, digits and single hyphens, such as weekly-report", {
          minLength: 1,
          maxLength: LONGEST_NAME,
          pattern: SKILL_NAME,
        }),
        description: text("What it is for, in one line", { maxLength: 1_024 }),
        body: text("The instructions, in Markdown", { maxLength: SKILL_LIMITS.bodyChars }),
        mode: text("For update: whether to add or to replace", { enum: ["append", "replace"] }),
        triggers: entries("Phrases; a message that has one of them uses the skill"),
        keywords: entries("Words; a message that has two or more of them may use the skill"),
        allowedTools: list(
          "The only tools that may be used with it, as globs such as files__*; absent: no narrowing",
          { type: "string", minLength: 1, maxLength: 256 },
          { minItems: 1, maxItems: SKILL_LIMITS.listItems },
        ),
        priority: {
          type: "number",
          description: "Orders context skills, lower first; for those at most 10",
          minimum: -1_000_000,
          maximum: 1_000_000,
        },
        type: text("context: it is part of every conversation; skill: it is used when it matches", {
          enum: ["context", "skill"],
        }),
      },
      ["action", "name"],
    ),
    outputSchema: object(
      {
        name: text("Its name"),
        path: text("Its file, relative to the workspace"),
        version: text("Its version now; of a deleted one the last"),
        previousVersion: text("Of the text that it had before, which is kept"),
        note: text("What else there is to know"),
      },
      ["name", "path", "version"],
    ),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  run: async (args, call) => {
    const order = args as unknown as SkillArguments;
    requirePermission(call.facts().caller, "skills");
    const { name, path, version, previousVersion, note } = await change(ports.skillFiles, order);
    ports.skillsChanged(name);
    return answer({
      name,
      path,
      version,
      ...(previousVersion === undefined ? {} : { previousVersion }),
      ...(note === undefined ? {} : { note }),
    });
  },
});

const change = (files: SkillFiles, order: SkillArguments): Promise<SkillWritten> => {
  const { action, name, mode, ...draft } = order;
  const given = Object.keys(draft);
  if (action === "delete") {
    const [first = mode === undefined ? undefined : "mode"] = given;
    if (first !== undefined) throw invalidInput(`/${first}`, "means nothing to delete", `Leave ${first} out.`);
    return files.delete(name);
  }
  if (action === "create") {
    if (mode !== undefined) throw invalidInput("/mode", "means nothing to create", "Leave mode out.");
    return files.create(name, draft);
  }
  if (mode === undefined) {
    throw invalidInput(
      "/mode",
      "must be append or replace to update a skill",
      'Say "append" to add to what stands there, or "replace" to put the new text in its place.',
    );
  }
  if (given.length === 0)
    throw invalidInput("/body", "must be given, or something else to change", "Say what to change.");
  return files.update(name, draft, mode);
};
