/** The refusal of an entry whose bundle would have to be downloaded. */
import { Refusal } from "../kernel/refusal.ts";

export const refuseName = (name: string): Refusal =>
  new Refusal("install_refused", {
    message: `${name} comes from a registry, and installing from registries is not available yet.`,
    next: 'Use "path" (a directory with manifest.json) or "url" instead of "name".',
  });
