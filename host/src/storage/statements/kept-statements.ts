/** Statements of one kind as they are kept beside the log: in the order in which they came, each once. */
import type { HostState, StateSpace, StateWrite } from "../../kernel/evidence.ts";
import { makeId } from "../../kernel/make-id.ts";
import { stable } from "../../kernel/stable.ts";
import type { Json } from "../archive/archive-parts.ts";

interface Kept {
  /** Ordered by time; after a dot, who sent it. */
  readonly key: string;
  readonly statement: Json;
  /** Empty: it was not noted. */
  readonly by: string;
}

export interface KeptRules {
  readonly space: StateSpace;
  /** Two statements with the same one are one. */
  readonly identity: (statement: Json) => string;
}

interface Exchange {
  /** What makes room; null: nothing has to. */
  readonly gone: Json | null;
  /** Who sent it, without a dot; empty: that is not noted. */
  readonly by: string;
}

export class KeptStatements {
  readonly #rules: KeptRules;
  readonly #kept = new Map<string, Kept>();

  constructor(state: HostState, rules: KeptRules) {
    this.#rules = rules;
    for (const [key, value] of [...state.entries(rules.space)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const statement = JSON.parse(value) as Json;
      this.#kept.set(rules.identity(statement), { key, statement, by: key.split(".")[1] ?? "" });
    }
  }

  get size(): number {
    return this.#kept.size;
  }

  /** In the order in which they came. */
  values(): Iterable<Kept> {
    return this.#kept.values();
  }

  all(): Json[] {
    return Array.from(this.#kept.values(), ({ statement }) => statement);
  }

  has(statement: Json): boolean {
    return this.#kept.has(this.#rules.identity(statement));
  }

  /** The first that came and answers to this; null: none. */
  oldest(test: (statement: Json) => boolean): Json | null {
    for (const { statement } of this.#kept.values()) if (test(statement)) return statement;
    return null;
  }

  /** Those that came after the one with this key, and the key to go on from; null: that is all. */
  page(after: string, limit: number): { readonly statements: readonly Json[]; readonly next: string | null } {
    const later = Array.from(this.#kept.values()).filter(({ key }) => key > after);
    const shown = later.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
    const next = shown.length < later.length ? (shown.at(-1)?.key ?? null) : null;
    return { statements: shown.map(({ statement }) => statement), next };
  }

  /** What must be written for `statement` to be kept and `gone` not to be, and what to do when that is durable. */
  change(
    statement: Json,
    { gone, by }: Exchange,
  ): { readonly writes: readonly StateWrite[]; readonly commit: () => void } {
    const { space, identity } = this.#rules;
    const key = makeId("") + (by === "" ? "" : `.${by}`);
    const leaving = gone === null ? undefined : this.#kept.get(identity(gone));
    const writes: StateWrite[] = [{ space, key, value: stable(statement) }];
    if (leaving) writes.push({ space, key: leaving.key, value: null });
    const commit = (): void => {
      if (gone !== null) this.#kept.delete(identity(gone));
      this.#kept.set(identity(statement), { key, statement, by });
    };
    return { writes, commit };
  }
}
