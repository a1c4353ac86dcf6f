/** The tools of the provider `files`. They see the file store of one workspace, never the disk. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { FileQuery, FileSearch, FileStore } from "../../kernel/files.ts";
import { createTool } from "./create-tool.ts";
import { answer, found, notFound } from "./file-answers.ts";
import {
  fileId,
  filePage,
  integer,
  MAX_OFFSET,
  mimePrefix,
  object,
  oneFile,
  pageSize,
  tagList,
  text,
} from "./file-schemas.ts";
import { readTool } from "./read-tool.ts";
import { rootsTool } from "./roots-tool.ts";

const READS = { readOnlyHint: true, openWorldHint: false };

export const filesTools = (store: FileStore): readonly BuiltInTool[] => [
  listTool(store),
  searchTool(store),
  readTool(store),
  createTool(store),
  infoTool(store),
  tagTool(store),
  deleteTool(store),
  rootsTool,
];

/** `mimeType` in the arguments is a prefix. */
type Renamed<T> = Partial<Omit<T, "mimePrefix">> & { readonly mimeType?: string };

const listTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "list",
    title: "List files",
    description: "Lists the files of the workspace, the newest first unless another order is asked for.",
    inputSchema: object({
      limit: pageSize,
      offset: integer("How many to skip", { minimum: 0, maximum: MAX_OFFSET, default: 0 }),
      tags: tagList("Only files that have all of these tags"),
      mimeType: mimePrefix,
      sort: { type: "string", enum: ["createdAt", "filename", "size"], default: "createdAt" },
      order: { type: "string", enum: ["asc", "desc"], default: "desc" },
    }),
    outputSchema: filePage,
    annotations: READS,
  },
  run: async (args) => {
    const {
      limit = 20,
      offset = 0,
      tags = [],
      mimeType = "",
      sort = "createdAt",
      order = "desc",
    }: Renamed<FileQuery> = args;
    return answer(store.list({ limit, offset, tags, mimePrefix: mimeType, sort, order }));
  },
});

const searchTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "search",
    title: "Search files",
    description:
      "Finds files of the workspace that have every word of the query in their filename, description, tags or the first 200 KiB of their text. " +
      "The query may have eight words. The text of a file that was just made may be found a moment later than the file itself. " +
      "Upper and lower case and punctuation do not matter; a word may be a part of one, if it has three characters. Files whose name matches come first.",
    inputSchema: object(
      {
        query: text("The words to look for", { minLength: 1, maxLength: 500 }),
        tags: tagList("Only files that have all of these tags"),
        mimeType: mimePrefix,
        limit: pageSize,
      },
      ["query"],
    ),
    outputSchema: filePage,
    annotations: READS,
  },
  run: async (args) => {
    const { query = "", tags = [], mimeType = "", limit = 20 }: Renamed<FileSearch> = args;
    return answer(await store.search({ query, tags, mimePrefix: mimeType, limit }));
  },
});

const infoTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "info",
    title: "Describe a file",
    description: "Tells what is known of one file of the workspace, without its contents.",
    inputSchema: object({ id: fileId }, ["id"]),
    outputSchema: oneFile,
    annotations: READS,
  },
  run: async (args) => {
    const { id } = args as { id: string };
    return answer({ file: found(id, store.info(id)) });
  },
});

const tagTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "tag",
    title: "Tag a file",
    description: "Adds tags to a file of the workspace and removes others. A file has at most 32.",
    inputSchema: object({ id: fileId, add: tagList("Tags to add"), remove: tagList("Tags to remove") }, ["id"]),
    outputSchema: oneFile,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async (args) => {
    const { id, add = [], remove = [] } = args as { id: string; add?: readonly string[]; remove?: readonly string[] };
    return answer({ file: found(id, await store.tag(id, { add, remove })) });
  },
});

const deleteTool = (store: FileStore): BuiltInTool => ({
  definition: {
    name: "delete",
    title: "Delete a file",
    description: "Deletes a file of the workspace for good: its contents and all that is known of it.",
    inputSchema: object({ id: fileId }, ["id"]),
    outputSchema: object({ id: text("Id of the file that was deleted"), deleted: { const: true } }, ["id", "deleted"]),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
  run: async (args) => {
    const { id } = args as { id: string };
    if (!(await store.remove(id))) throw notFound(id);
    return answer({ id, deleted: true });
  },
});
