/**
 * Tells what changed among the providers since it last looked, and once when all have settled. Deliberately holds no timer:
 * whoever hears of a change asks.
 */
import type { ProviderRow } from "../assembly/host.ts";

export interface ProviderWatch {
  /** The rows of which there is something new to say. */
  look(rows: readonly ProviderRow[]): readonly ProviderRow[];
  /** True once: the first time no provider is starting any more. */
  settled(rows: readonly ProviderRow[]): boolean;
}

export const createProviderWatch = (): ProviderWatch => {
  const seen = new Map<string, string>();
  let told = false;
  return {
    look: (rows) =>
      rows.filter((row) => {
        const { state, reason, since } = row.status;
        if (state === "starting") return false;
        // A restart that came and went between two looks shows in `since` alone; one more failed try is nothing new.
        const facts = JSON.stringify(state === "running" ? [state, since, row.tools] : [state, reason]);
        if (seen.get(row.name) === facts) return false;
        seen.set(row.name, facts);
        return true;
      }),
    settled: (rows) => {
      if (told || rows.length === 0 || rows.some(({ status }) => status.state === "starting")) return false;
      told = true;
      return true;
    },
  };
};
