/** The provider `files` of one workspace: its file store, offered as tools and resources that pass the gates like anybody's. */
import { createBuiltIn } from "../../kernel/built-in.ts";
import type { FileStore } from "../../kernel/files.ts";
import type { Provider } from "../../kernel/provider.ts";
import { fileResources } from "./file-resources.ts";
import { filesTools } from "./files-tools.ts";

export const createFilesProvider = (store: FileStore, version: string): Provider =>
  createBuiltIn({ name: "files", version, tools: filesTools(store), resources: fileResources(store) });
