/** `files__create`: a new file from text or from base64. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { FileStore } from "../../kernel/files.ts";
import { answer } from "./file-answers.ts";
import { invalidInput } from "./file-rules.ts";
import { object, oneFile, tagList, text } from "./file-schemas.ts";

interface CreateArguments {
  readonly filename: string;
  readonly body: string;
  readonly encoding?: "text" | "base64";
  readonly mimeType?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
}

export const createTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "create",
    title: "Create a file",
    description:
      "Stores a new file in the workspace. Its contents never change afterwards: to correct one, create another and delete the first. " +
      "Its uri can be passed to any tool that takes files of the workspace.",
    inputSchema: object(
      {
        filename: text("Its name, without a path", { minLength: 1, maxLength: 255 }),
        body: text("Its contents"),
        encoding: {
          type: "string",
          description: "How body is written: as it is, or in base64 for anything that is not text",
          enum: ["text", "base64"],
          default: "text",
        },
        mimeType: text("Its MIME type; told by the extension when it is not given", { maxLength: 255 }),
        tags: tagList("Its tags"),
        description: text("What it is, for those who look for it", { maxLength: 2_000 }),
      },
      ["filename", "body"],
    ),
    outputSchema: oneFile,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  run: async (args, { owner }) => {
    const { body, encoding, ...label } = args as unknown as CreateArguments;
    const bytes = encoding === "base64" ? fromBase64(body) : fromText(body);
    return answer({ file: await store.create({ ...label, bytes, createdBy: owner }) });
  },
});

const fromText = (body: string): Buffer => {
  if (!body.isWellFormed()) throw invalidInput("/body", "must be without half surrogate pairs");
  return Buffer.from(body);
};

/** Node reads over whatever is not base64, so what was read is written again and compared. */
const fromBase64 = (body: string): Buffer => {
  const bytes = Buffer.from(body, "base64");
  if (bytes.toString("base64") !== body)
    throw invalidInput("/body", "must be base64 of the standard alphabet, padded and without line breaks");
  return bytes;
};
