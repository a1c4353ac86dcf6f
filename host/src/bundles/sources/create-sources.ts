/** Finds the package of an entry: a directory as it is; archives and registries follow. */
import { entryDirectory, type EntryDirectoryOptions } from "../entry-directory.ts";
import type { Locate } from "../located.ts";
import { refuseName } from "../refuse-name.ts";

export interface Sources {
  readonly locate: Locate;
}

export const createSources = (options: EntryDirectoryOptions): Sources => ({
  locate: (entry) =>
    entry.kind === "name"
      ? Promise.reject(refuseName(entry.name))
      : Promise.resolve({
          directory: entryDirectory(entry, options),
          manifest: null,
          digest: null,
          cached: false,
          origin: "path",
          trustScore: null,
          certificationLevel: null,
        }),
});
