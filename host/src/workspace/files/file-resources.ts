/** The files of one workspace as resources, whole: what `files://` in a result or a link leads to. */
import type { BuiltInContents, BuiltInResources } from "../../kernel/built-in.ts";
import type { FileStore } from "../../kernel/files.ts";
import { found, unreadable } from "./file-answers.ts";
import { fileContents } from "./file-contents.ts";
import { idOfUri } from "./file-id.ts";
import { readInTurn } from "./read-in-turn.ts";

export const fileResources = (store: FileStore): BuiltInResources => ({
  templates: [
    {
      uriTemplate: "files://{id}",
      name: "file",
      title: "A file of the workspace",
      description: "The whole contents of a file; files__list and files__search tell the ids.",
    },
  ],
  read: (uri) => readInTurn(() => read(store, uri)),
});

const read = async (store: FileStore, uri: string): Promise<BuiltInContents> => {
  const file = found(uri, store.info(idOfUri(uri)));
  const bytes = await store.read(file.id);
  if (bytes === null) throw unreadable(file);
  return fileContents({ uri, file, bytes, meta: { filename: file.filename } });
};
