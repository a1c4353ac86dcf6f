/**
 * Reads of `capabilities://tools`: entries are gathered once for each surface, and the document is joined anew only when
 * a typical time is not what it was. A surface that changes is another object, so nothing here goes stale.
 */
import type { CallTimes } from "./call-times.ts";
import type { DocumentText } from "./document-text.ts";
import { ToolEntries } from "./tool-entries.ts";
import type { DescribedTool, ToolEntry } from "./tool-entry.ts";
import { toolsDocument } from "./tools-document.ts";

export interface ToolsReaderOptions<Surface extends object> {
  readonly times: Pick<CallTimes, "typical">;
  readonly version: string;
  /** All tools of a surface, in the order of `tools/list`. */
  readonly describe: (surface: Surface) => readonly DescribedTool[];
}

/** Whole documents are large: those that were read last are kept. */
const MAX_KEPT = 4;

interface Gathered {
  readonly entries: readonly ToolEntry[];
  /** Of one provider each. */
  readonly parts: Map<string, readonly ToolEntry[]>;
}

interface Joined {
  readonly typicals: readonly string[];
  readonly document: DocumentText;
}

export class ToolsReader<Surface extends object> {
  readonly #options: ToolsReaderOptions<Surface>;
  readonly #written = new ToolEntries();
  readonly #gathered = new WeakMap<Surface, Gathered>();
  /** By the entries that they were joined from; those that were read last stand last. */
  readonly #joined = new Map<readonly ToolEntry[], Joined>();

  constructor(options: ToolsReaderOptions<Surface>) {
    this.#options = options;
  }

  count(surface: Surface): number {
    return this.#gather(surface).entries.length;
  }

  read(surface: Surface): DocumentText {
    return this.#join(this.#gather(surface).entries);
  }

  /** Those of one provider; one without tools has an empty document. */
  readPart(surface: Surface, provider: string): DocumentText {
    const { entries, parts } = this.#gather(surface);
    const part = parts.get(provider) ?? entries.filter((entry) => entry.provider === provider);
    // Nothing is kept under a name that anybody could make up.
    if (part.length === 0) return toolsDocument({ entries: part, typicals: [], version: this.#options.version });
    parts.set(provider, part);
    return this.#join(part);
  }

  #gather(surface: Surface): Gathered {
    const known = this.#gathered.get(surface);
    if (known !== undefined) return known;
    const entries = this.#options.describe(surface).map((described) => this.#written.of(described));
    const gathered = { entries, parts: new Map<string, readonly ToolEntry[]>() };
    this.#gathered.set(surface, gathered);
    return gathered;
  }

  #join(entries: readonly ToolEntry[]): DocumentText {
    const { times, version } = this.#options;
    const typicals = entries.map(({ flatName, typical }) => times.typical(flatName) ?? typical);
    const known = this.#joined.get(entries);
    const isSame = known !== undefined && known.typicals.every((typical, at) => typical === typicals[at]);
    const joined = isSame ? known : { typicals, document: toolsDocument({ entries, typicals, version }) };
    this.#joined.delete(entries);
    this.#joined.set(entries, joined);
    for (const oldest of this.#joined.keys()) {
      if (this.#joined.size <= MAX_KEPT) break;
      this.#joined.delete(oldest);
    }
    return joined.document;
  }
}
