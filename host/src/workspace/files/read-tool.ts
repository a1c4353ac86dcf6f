/**
 * `files__read`. Text comes by characters, as much as was asked for; anything else whole, as an embedded resource. That is for
 * files of up to 5 MiB: encoded they still fit into one result, and larger ones are of no use to a model.
 */
import type { BuiltInResult, BuiltInTool } from "../../kernel/built-in.ts";
import type { FileInfo, FileStore } from "../../kernel/files.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { found, unreadable } from "./file-answers.ts";
import { idOfUri } from "./file-id.ts";
import { invalidInput } from "./file-rules.ts";
import { fileId, fileInfo, integer, MAX_OFFSET, object, text } from "./file-schemas.ts";
import { readInTurn } from "./read-in-turn.ts";
import { isText, isTextType, textPart } from "./text-of.ts";

const LENGTH = 50_000;
const MAX_LENGTH = 1_000_000;
const MAX_BINARY = 5 * 1024 * 1024;

interface ReadArguments {
  readonly id?: string;
  readonly uri?: string;
  readonly offset?: number;
  readonly length?: number;
}

export const readTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "read",
    title: "Read a file",
    description:
      "Reads a file of the workspace, by id or by uri (give one of the two). Text is returned by characters: where there is more, nextOffset is the offset to go on from. " +
      "Anything else is returned whole as an embedded resource, up to 5 MiB; offset and length do not count for it.",
    inputSchema: object({
      id: fileId,
      uri: text("URI of the file, files://fl_<24 hex digits>", { minLength: 1, maxLength: 200 }),
      offset: integer("The first character to return", { minimum: 0, maximum: MAX_OFFSET, default: 0 }),
      length: integer("How many characters at most", { minimum: 1, maximum: MAX_LENGTH, default: LENGTH }),
    }),
    outputSchema: object(
      {
        file: fileInfo,
        offset: integer("The first character returned", { minimum: 0 }),
        nextOffset: integer("Where to go on; absent at the end", { minimum: 1 }),
      },
      ["file", "offset"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: (args) => readInTurn(() => read(store, args)),
});

const read = async (store: FileStore, args: ReadArguments): Promise<BuiltInResult> => {
  const { id, uri, offset = 0, length = LENGTH } = args;
  if ((id === undefined) === (uri === undefined)) throw invalidInput("/id", "or /uri must be given, and not both");
  const file = found(uri ?? id ?? "", store.info(id ?? idOfUri(uri ?? "")));
  // Told from the index: nothing is read to find out that it is too large.
  if (file.size > MAX_BINARY && !isTextType(file.mimeType)) throw tooLarge(file);
  const bytes = await store.read(file.id);
  if (bytes === null) throw unreadable(file);
  if (!isText(file.mimeType, bytes)) return binary(file, bytes);
  const part = textPart(bytes, offset, length);
  const block = { type: "text", text: part.text };
  if (part.nextOffset === null) return { content: [block], structuredContent: { file, offset } };
  const { nextOffset } = part;
  const more = { type: "text", text: `(There is more: read on with offset ${nextOffset}.)` };
  return { content: [block, more], structuredContent: { file, offset, nextOffset } };
};

const binary = (file: FileInfo, bytes: Buffer): BuiltInResult => {
  const { uri, mimeType, size } = file;
  if (size > MAX_BINARY) throw tooLarge(file);
  const resource = { uri, mimeType, blob: bytes.toString("base64") };
  return { content: [{ type: "resource", resource }], structuredContent: { file, offset: 0 } };
};

const tooLarge = ({ id, uri, filename, size }: FileInfo): Refusal =>
  new Refusal("too_large", {
    message: `${filename} (${id}) is not text and has ${size} bytes; files__read returns at most ${MAX_BINARY} of such a file.`,
    next: `Pass ${uri} to a tool that takes files of the workspace, or download it: GET /v1/files/${id}.`,
    details: { size, maxSize: MAX_BINARY },
  });
