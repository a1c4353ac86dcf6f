/** Entries of the saved configs of one type. People edit the files too: one that differs from what was seen is told apart. */
import type { ListedResource } from "../../kernel/provider.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import { contentHash } from "../storage/stored-version.ts";
import { isReadable } from "./index-documents.ts";
import { configEntry } from "./list-entry.ts";

interface Seen {
  readonly hash: string;
  readonly entry: ListedResource;
}

export class ListedConfigs {
  readonly type: ConfigType;
  readonly #configs = new Map<string, Seen>();
  /** Null: some came or went since. */
  #ids: readonly string[] | null = null;

  constructor(type: ConfigType) {
    this.type = type;
  }

  /** Sorted. */
  ids(): readonly string[] {
    return (this.#ids ??= [...this.#configs.keys()].toSorted());
  }

  has(id: string): boolean {
    return this.#configs.has(id);
  }

  /** What became of one: null: it is not there. */
  take(id: string, config: SavedConfig | null): { readonly isOther: boolean; readonly isListedOtherwise: boolean } {
    const known = this.#configs.get(id);
    if (config === null || !isReadable(config)) {
      const wasThere = this.#configs.delete(id);
      if (wasThere) this.#ids = null;
      return { isOther: wasThere, isListedOtherwise: wasThere };
    }
    const hash = contentHash(config.text);
    if (known?.hash === hash) return { isOther: false, isListedOtherwise: false };
    const entry = configEntry(this.type, config);
    const isListedOtherwise = known?.entry.json !== entry.json;
    if (known === undefined) this.#ids = null;
    this.#configs.set(id, { hash, entry: isListedOtherwise ? entry : known.entry });
    return { isOther: true, isListedOtherwise };
  }

  append(all: ListedResource[]): void {
    for (const id of this.ids()) all.push(this.#configs.get(id)!.entry);
  }
}
