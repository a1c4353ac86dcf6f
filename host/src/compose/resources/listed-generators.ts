/** Entries of the generators that there are, and which of them are not what they were. */
import type { ListedResource } from "../../kernel/provider.ts";
import { generatorShown } from "../documents/generators-document.ts";
import type { GeneratorsSeen } from "../workbench.ts";
import { generatorEntry } from "./list-entry.ts";

interface Seen {
  readonly shown: string;
  readonly entry: ListedResource;
}

export class ListedGenerators {
  #seen: GeneratorsSeen | null = null;
  #generators: ReadonlyMap<string, Seen> = new Map();

  types(): readonly string[] {
    return [...this.#generators.keys()];
  }

  has(type: string): boolean {
    return this.#generators.has(type);
  }

  isOf(seen: GeneratorsSeen): boolean {
    return this.#seen === seen;
  }

  /** Types that came, changed or went. */
  take(seen: GeneratorsSeen): readonly string[] {
    if (this.isOf(seen)) return [];
    const before = this.#generators;
    const now = new Map<string, Seen>();
    for (const listed of seen.generators) {
      const { type } = listed.entry;
      const shown = JSON.stringify([generatorShown(listed), listed.entry.description]);
      const known = before.get(type);
      now.set(type, known?.shown === shown ? known : { shown, entry: generatorEntry(listed.entry) });
    }
    this.#seen = seen;
    this.#generators = now;
    const types = new Set([...before.keys(), ...now.keys()]);
    return [...types].filter((type) => before.get(type) !== now.get(type));
  }

  append(all: ListedResource[]): void {
    for (const { entry } of this.#generators.values()) all.push(entry);
  }
}
