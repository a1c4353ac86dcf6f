/** A resource that is in no catalogue, as it is listed; made once, however often what stands around it changes. */
import type { ListedResource } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { once } from "./once.ts";
import { spliceEntry } from "./splice-entry.ts";

interface MoreEntry {
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

const made = new WeakMap<ListedResource, MoreEntry>();

export const moreEntry = (entry: ListedResource, provider: string): MoreEntry => {
  const known = made.get(entry);
  if (known !== undefined) return known;
  const meta = `"dev.bailiwick/provider":${JSON.stringify(provider)}`;
  const rendered = { json: once(() => spliceEntry(entry.json, { name: null, meta })), ownJson: () => entry.json };
  made.set(entry, rendered);
  return rendered;
};
