/** `files__roots`: which folders paths are resolved in for this caller, and why others are not. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import { rootsSeen } from "../../kernel/roots-seen.ts";
import { answer } from "./file-answers.ts";
import { object, text } from "./file-schemas.ts";

const root = object(
  {
    name: { type: ["string", "null"], description: "What stands in workspace://@name/path; null: it has none" },
    uri: text("The folder, as it was announced or configured"),
    usable: { type: "boolean", description: "Whether paths are resolved in it; the first usable one is the default" },
    reason: text("Why it is not used"),
  },
  ["name", "uri", "usable"],
);

export const rootsTool: BuiltInTool = {
  definition: {
    name: "roots",
    title: "List workspace roots",
    description:
      "Lists the folders in which tools resolve workspace:// paths: those that the client announced, or else those of the host. " +
      "workspace://folder/name lies in the first usable root, workspace://@name/folder/name in the root of that name.",
    inputSchema: object({}),
    outputSchema: object(
      {
        supports_roots: { type: "boolean", description: "Whether the client announces roots" },
        count: {
          type: "integer",
          description: "How many the client announced, or else how many there are",
          minimum: 0,
        },
        roots: { type: "array", items: root },
      },
      ["supports_roots", "count", "roots"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (_, { facts }) => {
    const { supports_roots, count, roots } = rootsSeen(facts().roots);
    return answer({ supports_roots, count, roots });
  },
};
