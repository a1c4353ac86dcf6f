/**
 * The resource families that a reader sees. Those of other providers are made once for each surface; of compose's own the
 * examples are looked up at each read, and how many there are is known without them.
 */
import type { SurfaceFacts } from "../../kernel/tool-facts.ts";
import { composeFamilies, type ComposeResources } from "./compose-families.ts";
import { listedFamilies } from "./listed-families.ts";
import type { ResourceFamily } from "./resource-family.ts";

const PROVIDER = "compose";
const NOTHING: ComposeResources = {
  contentConfigs: [],
  artifactConfigs: [],
  schemas: [],
  contents: [],
  generators: [],
};
const OWN = composeFamilies(NOTHING).map(({ name }) => name);

interface Seen {
  /** Names of compose's own. */
  readonly own: readonly string[];
  readonly others: readonly ResourceFamily[];
}

export class FamiliesReader {
  readonly #there: () => Promise<ComposeResources>;
  readonly #seen = new WeakMap<SurfaceFacts, Seen>();

  /** `there`: what of compose can be read now. */
  constructor(there: () => Promise<ComposeResources>) {
    this.#there = there;
  }

  async read(facts: SurfaceFacts): Promise<readonly ResourceFamily[]> {
    const { own, others } = this.#see(facts);
    const families = composeFamilies(await this.#there());
    return [...families.filter(({ name }) => own.includes(name)), ...others];
  }

  count(facts: SurfaceFacts): number {
    const { own, others } = this.#see(facts);
    return own.length + others.length;
  }

  #see(facts: SurfaceFacts): Seen {
    const known = this.#seen.get(facts);
    if (known !== undefined) return known;
    const uris = facts.uris();
    // Not every key may read all of them.
    const own = OWN.filter((name) =>
      uris.some(({ provider, uri }) => provider === PROVIDER && uri.startsWith(`${name}:`)),
    );
    const seen = {
      own,
      others: listedFamilies(
        uris.filter(({ provider }) => provider !== PROVIDER),
        new Set(OWN),
      ),
    };
    this.#seen.set(facts, seen);
    return seen;
  }
}
