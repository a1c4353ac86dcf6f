/** The records beside the log that are read back whole when the host starts. Written in the transaction of their event. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

export class StateTable {
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #purge: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync) {
    this.#put = db.prepare("INSERT OR REPLACE INTO state (space, key, value, goes_with) VALUES (?, ?, ?, ?)");
    this.#purge = db.prepare("DELETE FROM state WHERE goes_with = ?");
    this.#remove = db.prepare("DELETE FROM state WHERE space = ? AND key = ?");
    this.#all = db.prepare("SELECT space, key, value FROM state ORDER BY space, key");
  }

  /** `goesWith`: the correlation that takes it along when it is purged. */
  put(space: string, key: string, value: string, goesWith: string | null): void {
    this.#put.run(space, key, value, goesWith);
  }

  purge(correlationIds: ReadonlySet<string>): void {
    for (const id of correlationIds) this.#purge.run(id);
  }

  remove(space: string, key: string): void {
    this.#remove.run(space, key);
  }

  /** Space, key and value in turn. */
  all(): string[] {
    const flat: string[] = [];
    for (const row of this.#all.iterate()) flat.push(String(row["space"]), String(row["key"]), String(row["value"]));
    return flat;
  }
}
