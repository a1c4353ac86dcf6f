/** `skills__read`: a skill's text, or another file of its folder. It changes no surface and nothing else. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { SkillBook } from "../skills/skill-book.ts";
import { object, text } from "./tool-schemas.ts";

export const readSkillTool = (book: Pick<SkillBook, "read">): BuiltInTool => ({
  definition: {
    name: "read",
    title: "Read a skill",
    description:
      "Reads the instructions of a skill by its name, or another file of the skill that its text names. " +
      "Read a skill of the catalogue before you do what it is for.",
    inputSchema: object(
      {
        name: text("Of the skill, as the catalogue has it", { minLength: 1, maxLength: 128 }),
        file: text("A file of the skill, such as references/forms.md; absent: the skill itself", {
          minLength: 1,
          maxLength: 1_024,
        }),
      },
      ["name"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (args, call) => {
    const { name, file = null } = args as unknown as { readonly name: string; readonly file?: string };
    const { caller: principal, origin, correlationId, invocationId } = call.facts();
    const within = { correlationId, invocationId, run: origin.run, signal: call.signal };
    const read = await book.read({ principal, presented: origin.presented, door: origin.door, within }, name, file);
    return { content: [{ type: "text", text: read.text }] };
  },
});
