/**
 * Entries of stored contents and their versions. A version never changes, so its entry is written once; a content that got
 * one more costs that one, however many there are.
 */
import type { ListedResource } from "../../kernel/provider.ts";
import type { ComposeResources } from "../documents/compose-families.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { contentEntry, versionEntry } from "./list-entry.ts";
import type { UriOfKind } from "./resource-uri.ts";

interface Content {
  /** Oldest first, as the store gave it. */
  versions: readonly StoredVersion[];
  entry: ListedResource;
  /** Of the versions, in the same order. */
  readonly entries: ListedResource[];
}

export interface TakenContent {
  readonly isOther: boolean;
  /** Versions that were there before. */
  readonly gone: readonly string[];
}

const SAME: TakenContent = { isOther: false, gone: [] };

export class ListedContents {
  readonly #contents = new Map<string, Content>();
  /** Null: contents came or went since. */
  #ids: readonly string[] | null = null;

  ids(): readonly string[] {
    return (this.#ids ??= [...this.#contents.keys()].toSorted());
  }

  has(resource: UriOfKind<"content" | "version">): boolean {
    const known = this.#contents.get(resource.id);
    if (known === undefined || resource.kind === "content") return known !== undefined;
    return known.versions.findLast(({ version_id: id }) => id === resource.version) !== undefined;
  }

  take(id: string, versions: readonly StoredVersion[]): TakenContent {
    const known = this.#contents.get(id);
    const latest = versions.at(-1);
    if (latest === undefined) return this.#drop(id);
    if (known === undefined) {
      const entries = versions.map(versionEntry);
      this.#contents.set(id, { versions, entry: contentEntry(id, latest.format), entries });
      this.#ids = null;
      return { isOther: true, gone: [] };
    }
    if (known.versions === versions) return SAME;
    return this.#renew(id, known, versions);
  }

  append(all: ListedResource[]): void {
    for (const id of this.ids()) {
      const { entry, entries } = this.#contents.get(id)!;
      all.push(entry);
      for (const each of entries) all.push(each);
    }
  }

  /** All, with their latest version. */
  latest(): ComposeResources["contents"] {
    return this.ids().map((id) => ({ id, version: this.#contents.get(id)!.versions.at(-1)!.version_id }));
  }

  #renew(id: string, known: Content, versions: readonly StoredVersion[]): TakenContent {
    const { versions: before, entries } = known;
    const last = before.at(-1)!;
    const latest = versions.at(-1)!;
    known.versions = versions;
    if (latest.format !== last.format) known.entry = contentEntry(id, latest.format);
    // The store only takes some out and puts others behind: where the last one stands at its old place, all before it do.
    if (versions[before.length - 1] === last) {
      for (let at = before.length; at < versions.length; at++) entries.push(versionEntry(versions[at]!));
      return { isOther: versions.length > before.length, gone: [] };
    }
    const old = new Map(before.map(({ version_id }, at) => [version_id, entries[at]!]));
    entries.length = 0;
    for (const version of versions) {
      entries.push(old.get(version.version_id) ?? versionEntry(version));
      old.delete(version.version_id);
    }
    const gone = [...old.keys()];
    return { isOther: gone.length > 0 || versions.length !== before.length, gone };
  }

  #drop(id: string): TakenContent {
    const known = this.#contents.get(id);
    if (known === undefined) return SAME;
    this.#contents.delete(id);
    this.#ids = null;
    return { isOther: true, gone: known.versions.map(({ version_id }) => version_id) };
  }
}
