/** The texts of a plan, read. What would be too much is refused before any of it is read. */
import { ComposeError } from "../compose-error.ts";
import type { AssemblyPlan, AssemblyPart, SkippedChild } from "../assemble/plan-assembly.ts";
import type { PartTexts } from "../assemble/compose-text.ts";
import { bytesOf, type StoredVersion } from "../storage/stored-version.ts";
import type { VersionStore } from "../storage/version-store.ts";

/** Merged texts and templates may become smaller than what they are made of. */
const MORE_INPUT = 4;

export interface Component {
  readonly content_id: string;
  readonly version_id: string;
  readonly size_bytes: number;
}

export interface ReadPart extends PartTexts {
  readonly required: boolean;
  readonly components: readonly Component[];
}

export interface ReadParts {
  readonly parts: readonly ReadPart[];
  readonly skipped: readonly SkippedChild[];
  /** Versions of required ones that are no longer there, or not as they were stored. */
  readonly gone: readonly GoneVersion[];
}

export interface GoneVersion {
  readonly content_id: string;
  readonly version_id: string;
}

export interface PartsLimit {
  readonly strategy: string;
  readonly maxBytes: number;
}

type Store = Pick<VersionStore, "readText">;

/** ComposeError `content_too_large`. */
export const readParts = async (
  { parts, skipped: planned }: Pick<AssemblyPlan, "parts" | "skipped">,
  store: Store,
  { strategy, maxBytes }: PartsLimit,
): Promise<ReadParts> => {
  const size = bytesOf(parts.flatMap(({ versions }) => versions));
  const times = strategy === "concat" ? 1 : MORE_INPUT;
  if (size > times * maxBytes) throw tooLarge({ size, times, limit: maxBytes });
  const [read, skipped, gone] = [[] as ReadPart[], [...planned], [] as GoneVersion[]];
  for (const part of parts) {
    const found = await readPart(part, store);
    if ("texts" in found) read.push(found);
    else if (part.required) gone.push({ content_id: part.content_id, version_id: found.version_id });
    else skipped.push({ content_id: part.content_id, reason: found.reason });
  }
  return { parts: read, skipped, gone };
};

interface Unread {
  readonly version_id: string;
  readonly reason: string;
}

/** Whole or not at all: with the strategy `all` too, a version that cannot be read is never left out silently. */
const readPart = async ({ content_id, required, versions }: AssemblyPart, store: Store): Promise<ReadPart | Unread> => {
  const [texts, components] = [[] as PartTexts["texts"][number][], [] as Component[]];
  for (const version of versions) {
    const { version_id, size_bytes, format } = version;
    const text = await readStored(store, version, required);
    if (typeof text !== "string") return { version_id, reason: text.reason };
    texts.push({ text, format });
    components.push({ content_id, version_id, size_bytes });
  }
  return { content_id, required, texts, components };
};

/** What the system refuses to read stops those who need it, and nobody else. */
const readStored = async (
  store: Store,
  version: StoredVersion,
  required: boolean,
): Promise<string | { readonly reason: string }> => {
  const { version_id: id } = version;
  try {
    return (await store.readText(version)) ?? { reason: `its version ${id} is gone, or not as it was stored` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (required || typeof code !== "string") throw error;
    return { reason: `its version ${id} cannot be read (${code})` };
  }
};

interface Measured {
  readonly size: number;
  readonly times: number;
  readonly limit: number;
}

const tooLarge = ({ size, times, limit }: Measured): ComposeError => {
  const most = times === 1 ? `at most ${limit} are allowed` : `more than ${times} times the ${limit} that are allowed`;
  return new ComposeError("content_too_large", `The parts together have ${size} bytes; ${most}.`, {
    size,
    limit,
    measured: "parts together",
  });
};
