/** What the model calls of a run used, added up. */
import type { ModelUsage } from "../../kernel/model.ts";

export class RunTotals {
  #usage: ModelUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    estimated: false,
  };
  #costUsd: number | null = 0;

  add(usage: ModelUsage, costUsd: number | null): void {
    const before = this.#usage;
    this.#usage = {
      inputTokens: before.inputTokens + usage.inputTokens,
      outputTokens: before.outputTokens + usage.outputTokens,
      cacheReadTokens: before.cacheReadTokens + usage.cacheReadTokens,
      cacheCreationTokens: before.cacheCreationTokens + usage.cacheCreationTokens,
      estimated: before.estimated || usage.estimated,
    };
    this.#costUsd = this.#costUsd === null || costUsd === null ? null : this.#costUsd + costUsd;
  }

  get usage(): ModelUsage {
    return this.#usage;
  }

  /** Null: of one of them it is not known. */
  get costUsd(): number | null {
    return this.#costUsd;
  }
}
