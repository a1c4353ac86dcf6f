/** `capabilities://resources`: every resource family with its patterns, parameters and examples. Pure. */
import type { ResourceFamily } from "./resource-family.ts";

export const resourcesDocument = (families: readonly ResourceFamily[], version: string): object => ({
  resources: Object.fromEntries(families.map((family) => [family.name, entryOf(family)])),
  metadata: { total_count: families.length, version },
});

const entryOf = ({ patterns, mimeType, description, parameters, examples }: ResourceFamily): object => ({
  patterns,
  mime_type: mimeType,
  description,
  parameters,
  examples,
});
