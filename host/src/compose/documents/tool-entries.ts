/**
 * Entries of tools, each written once for all readers and surfaces that show the same: the same definition under the same
 * name, in the same state, with the same needs and rules. A bounded amount of text is kept, what was used last.
 */
import { toolEntry, type DescribedTool, type ToolEntry, type ToolGuide } from "./tool-entry.ts";

/** Of each of two generations: when one is full, the older is dropped. */
const MAX_CHARACTERS = 12_000_000;

export class ToolEntries {
  #recent = new Map<string, ToolEntry>();
  #older = new Map<string, ToolEntry>();
  #characters = 0;
  readonly #max: number;
  /** Each gets a number to be known by. */
  readonly #guides = new WeakMap<ToolGuide, number>();
  #lastGuide = 0;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#max = maxCharacters;
  }

  of(described: DescribedTool): ToolEntry {
    const key = this.#keyOf(described);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const entry = this.#older.get(key) ?? toolEntry(described);
    this.#keep(key, entry);
    return entry;
  }

  #keep(key: string, entry: ToolEntry): void {
    const size = entry.escapedHead.length + entry.escapedTail.length;
    if (this.#characters + size > this.#max) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(key, entry);
    this.#characters += size;
  }

  /** Names and texts cannot run into each other: each stands with its length. */
  #keyOf(described: DescribedTool): string {
    const { name, flatName, category, provider, tool, version, lifecycle, required, missing } = described;
    const { risk, approvalRequired, timeoutMs, guide } = described;
    const { state, reason, next } = lifecycle;
    return (
      `${tool.definition} ${category} ${state} ${risk} ${approvalRequired} ${timeoutMs} ${this.#guideOf(guide)}` +
      sized(name) +
      sized(flatName) +
      sized(provider) +
      sized(version) +
      sized(reason ?? "") +
      sized(next ?? "") +
      (required.length === 0 ? "" : JSON.stringify([required, missing]))
    );
  }

  #guideOf(guide: ToolGuide | undefined): number {
    if (guide === undefined) return 0;
    const known = this.#guides.get(guide);
    if (known !== undefined) return known;
    this.#guides.set(guide, ++this.#lastGuide);
    return this.#lastGuide;
  }
}

const sized = (text: string): string => ` ${text.length}:${text}`;
