/** How many values the texts that are merged may have together: each takes memory, however small it is. */
import { ComposeError } from "../compose-error.ts";

const MAX_VALUES = 5_000_000;

export class ValueBudget {
  #left = MAX_VALUES;

  /** ComposeError `assembly_failed`: there are more. */
  spend(values: number): void {
    this.#left -= values;
    if (this.#left < 0) throw tooMany();
  }

  /** Those that an alias stands for count each time. */
  spendOn(value: unknown): void {
    this.spend(1);
    if (typeof value !== "object" || value === null) return;
    for (const member of Object.values(value)) this.spendOn(member);
  }
}

const tooMany = (): ComposeError =>
  new ComposeError("assembly_failed", `There are more than ${MAX_VALUES} values to merge.`, {
    limit: MAX_VALUES,
    next: "Assemble fewer contents, or set compositionStrategy to concat.",
  });
