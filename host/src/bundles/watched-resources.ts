/**
 * Which resources of one provider are watched, and by whom. Counted by reference; outlives every connection. Several
 * notices about one resource in a short time become one, so that a server which floods harms nobody further on.
 */
export interface WatchedResourcesOptions {
  /** Another resource is watched, or one is not any more. */
  readonly onChange: (uris: ReadonlySet<string>) => void;
}

const MAX_WATCHED = 10_000;
const MAX_URI_LENGTH = 8_192;
const MERGE_MS = 20;

export class WatchedResources {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #uris = new Set<string>();
  readonly #onChange: (uris: ReadonlySet<string>) => void;
  #due = new Set<string>();

  constructor({ onChange }: WatchedResourcesOptions) {
    this.#onChange = onChange;
  }

  get uris(): ReadonlySet<string> {
    return this.#uris;
  }

  /** Null: more cannot be watched. */
  watch(uri: string, updated: () => void): (() => void) | null {
    const others = this.#watchers.get(uri);
    if (others === undefined && (this.#uris.size >= MAX_WATCHED || uri.length > MAX_URI_LENGTH)) return null;
    const watchers = others ?? new Set();
    // Wrapped: one function may watch twice.
    const watcher = (): void => updated();
    watchers.add(watcher);
    if (others === undefined) {
      this.#watchers.set(uri, watchers);
      this.#uris.add(uri);
      this.#onChange(this.#uris);
    }
    return () => this.#leave(uri, watcher);
  }

  /** Null: all of them. A server may also name something that lies below what is watched. */
  updated(uri: string | null): void {
    if (uri === null) for (const each of this.#uris) this.#mark(each);
    else if (this.#uris.has(uri)) this.#mark(uri);
    else {
      for (const each of this.#uris) {
        if (uri.startsWith(each) && (each.endsWith("/") || uri[each.length] === "/")) this.#mark(each);
      }
    }
  }

  #mark(uri: string): void {
    if (this.#due.size === 0) setTimeout(() => this.#tell(), MERGE_MS).unref();
    this.#due.add(uri);
  }

  #tell(): void {
    const due = this.#due;
    this.#due = new Set();
    for (const uri of due) {
      for (const watcher of this.#watchers.get(uri) ?? []) watcher();
    }
  }

  #leave(uri: string, watcher: () => void): void {
    const watchers = this.#watchers.get(uri);
    if (!watchers?.delete(watcher) || watchers.size > 0) return;
    this.#watchers.delete(uri);
    this.#uris.delete(uri);
    this.#onChange(this.#uris);
  }
}
