/**
 * An entry without accounts whose principals share nothing: each has a process or connection of its own, and a process a
 * data directory of its own.
 */
import type { Bundle } from "./bundle.ts";
import { checkEntry } from "./check-entry.ts";
import { createBundle, partsOf, type CreateBundleOptions } from "./create-bundle.ts";
import { isolateBundle } from "./isolate-bundle.ts";
import { principalDataDir } from "./principal-data-dir.ts";

export const createIsolatedBundle = (options: CreateBundleOptions): Bundle => {
  const parts = partsOf(options, true);
  return isolateBundle(options, parts, {
    accounts: null,
    shipped: null,
    shared: false,
    check: (signal) => checkEntry(options, parts.redaction, signal),
    make: (owner, told) => createBundle(options, { ...parts, ...told, dataDir: principalDataDir(options, owner) }),
  });
};
