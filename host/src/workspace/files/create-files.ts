/** The file stores of all workspaces, each opened when it is first asked for. Every other workspace costs nothing. */
import { join } from "node:path";
import type { FilesOf, FileStore } from "../../kernel/files.ts";
import { HostError } from "../../kernel/host-error.ts";
import { isWorkspaceId } from "../../kernel/workspace.ts";
import type { FileLimits } from "./file-quota.ts";
import { openFileStore } from "./open-file-store.ts";
import { TextDesk } from "./text-desk.ts";

export interface FilesOptions {
  readonly workDir: string;
  /** Read at each create, so that it may follow the configuration. */
  readonly limits: FileLimits;
}

export const createFiles = ({ workDir, limits }: FilesOptions): { readonly of: FilesOf; close(): Promise<void> } => {
  const stores = new Map<string, FileStore>();
  const text = new TextDesk();
  return {
    of(workspace) {
      const known = stores.get(workspace);
      if (known) return known;
      if (!isWorkspaceId(workspace)) throw new HostError(`${JSON.stringify(workspace)} is no id of a workspace`);
      const store = openFileStore({ dir: join(workDir, "workspaces", workspace), limits, text });
      stores.set(workspace, store);
      return store;
    },
    async close() {
      await Promise.all(Array.from(stores.values(), (store) => store.close()));
      await text.end();
    },
  };
};
