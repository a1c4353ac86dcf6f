/** Where the sources of one config are read from. Together they may bring only so much. */
import { ComposeError } from "../compose-error.ts";
import { checkConfigId } from "../configs/config-id.ts";
import type { SourcePorts } from "../configs/resolve-sources.ts";
import { readStrategy } from "../storage/pick-versions.ts";
import type { SavedConfigs } from "../storage/saved-configs.ts";
import type { VersionStore } from "../storage/version-store.ts";
import type { RootedFiles } from "../workbench.ts";

export interface SourcePlaces {
  readonly rooted: Pick<RootedFiles, "read" | "git">;
  readonly versions: Pick<VersionStore, "versionsOf" | "readText">;
  readonly saved: Pick<SavedConfigs, "find">;
}

const MAX_BYTES = 50_000_000;

const failed = (message: string): ComposeError => new ComposeError("generation_failed", message);

class Places implements SourcePorts {
  readonly #places: SourcePlaces;
  readonly #signal: AbortSignal;
  #bytes = 0;

  constructor(places: SourcePlaces, signal: AbortSignal) {
    this.#places = places;
    this.#signal = signal;
  }

  readonly readFile = async (path: string): Promise<string | null> => {
    this.#mayRead();
    return this.#counted(await this.#places.rooted.read(path));
  };

  readonly readGit = async (ref: string, path: string): Promise<string | null> => {
    this.#mayRead();
    return this.#counted(await this.#places.rooted.git(ref, path, this.#signal));
  };

  readonly readStored = async (contentId: string, strategy: string): Promise<readonly string[]> => {
    const { versions } = this.#places;
    const picked = readStrategy(strategy)(await versions.versionsOf(checkConfigId(contentId)));
    const texts: string[] = [];
    for (const version of picked) {
      this.#signal.throwIfAborted();
      this.#count(version.size_bytes);
      const text = await versions.readText(version);
      if (text !== null) texts.push(text);
    }
    return texts;
  };

  readonly readConfig = async (type: "content" | "artifact", id: string): Promise<unknown> => {
    this.#mayRead();
    const found = await this.#places.saved.find(type, id);
    if (found === null) return null;
    if (found.data === null) throw failed(found.fault ?? "it cannot be read");
    this.#counted(found.text);
    return found.data;
  };

  /** Beyond the bound nothing more is read, not even what need not be there. */
  #mayRead(): void {
    this.#signal.throwIfAborted();
    this.#count(0);
  }

  #counted(text: string | null): string | null {
    if (text !== null) this.#count(Buffer.byteLength(text));
    return text;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES)
      throw failed(`what the config takes from elsewhere has more than ${MAX_BYTES} bytes together`);
  }
}

export const sourcePorts = (places: SourcePlaces, signal: AbortSignal): SourcePorts => new Places(places, signal);
