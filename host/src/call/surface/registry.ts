/**
 * All providers there are, by name. It only knows who is there and that something changed; it calls nobody.
 */
import type { Provider, ProviderSink } from "../../kernel/provider.ts";

const SETTLE_MS = 50;

export interface Registry extends ProviderSink {
  /** In code point order of the names. */
  providers(): readonly Provider[];
  get(name: string): Provider | null;
  /** Rises with every change. */
  version(): number;
  /** Something that is listed changed without its provider. */
  touch(): void;
  onChange(listener: () => void): () => void;
  close(): void;
}

export const createRegistry = (): Registry => {
  const byName = new Map<string, Provider>();
  const listeners = new Set<() => void>();
  let sorted: readonly Provider[] = [];
  let version = 0;
  let announcing: NodeJS.Timeout | null = null;

  const announce = (): void => {
    announcing = null;
    for (const listener of listeners) listener();
  };
  const touch = (): void => {
    version++;
    announcing ??= setTimeout(announce, SETTLE_MS).unref();
  };
  const sort = (): void => {
    sorted = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    touch();
  };

  return {
    add(provider) {
      byName.set(provider.name, provider);
      sort();
    },
    remove(name, provider) {
      if (provider !== undefined && byName.get(name) !== provider) return;
      byName.delete(name);
      sort();
    },
    changed: touch,
    providers: () => sorted,
    get: (name) => byName.get(name) ?? null,
    version: () => version,
    touch,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      if (announcing) clearTimeout(announcing);
      listeners.clear();
    },
  };
};
