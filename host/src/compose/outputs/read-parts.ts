/** The texts of a plan, read. What would be too much is refused before any of it is read. */
import type { AssemblyPlan, AssemblyPart, SkippedChild } from "../assemble/plan-assembly.ts";
import type { PartTexts } from "../assemble/compose-text.ts";
import { tooLarge } from "../generators/generation.ts";
import { bytesOf, type StoredVersion } from "../storage/stored-version.ts";
import type { VersionStore } from "../storage/version-store.ts";

/** Merged texts and templates may become smaller than what they are made of. */
const MORE_INPUT = 4;

export interface Component {
  readonly content_id: string;
  readonly version_id: string;
  readonly size_bytes: number;
}

export interface ReadParts {
  readonly parts: readonly PartTexts[];
  readonly components: readonly Component[];
  readonly skipped: readonly SkippedChild[];
  /** Required, and removed since it was planned. */
  readonly gone: readonly string[];
}

export interface PartsLimit {
  readonly strategy: string;
  readonly maxBytes: number;
}

/** ComposeError `content_too_large`. */
export const readParts = async (
  { parts, skipped: planned }: Pick<AssemblyPlan, "parts" | "skipped">,
  store: Pick<VersionStore, "readText">,
  { strategy, maxBytes }: PartsLimit,
): Promise<ReadParts> => {
  const size = bytesOf(parts.flatMap(({ versions }) => versions));
  const limit = strategy === "concat" ? maxBytes : maxBytes * MORE_INPUT;
  if (size > limit) throw tooLarge(size, limit);
  const [read, components] = [[] as PartTexts[], [] as Component[]];
  const [skipped, gone] = [[...planned], [] as string[]];
  for (const part of parts) {
    const found = await textsOf(part, store);
    if (found.length > 0) {
      read.push({ content_id: part.content_id, texts: found.map(({ text, format }) => ({ text, format })) });
      components.push(...found.map(componentOf));
    } else if (part.required) gone.push(part.content_id);
    else skipped.push({ content_id: part.content_id, reason: "it was removed meanwhile" });
  }
  return { parts: read, components, skipped, gone };
};

const textsOf = async (
  { versions }: AssemblyPart,
  store: Pick<VersionStore, "readText">,
): Promise<readonly (StoredVersion & { readonly text: string })[]> => {
  const found: (StoredVersion & { readonly text: string })[] = [];
  for (const version of versions) {
    const text = await store.readText(version);
    if (text !== null) found.push({ ...version, text });
  }
  return found;
};

const componentOf = ({ content_id, version_id, size_bytes }: StoredVersion): Component => ({
  content_id,
  version_id,
  size_bytes,
});
