/** Pays for a look-up by this key, before its hash is made: that is as long as the key is. */
import type { Budget } from "./budget.ts";
import { textOf, Tuple, type Value } from "./values.ts";

const LARGE_NUMBER = 16;

export const spendKey = (key: Value, budget: Budget): void => {
  const text = textOf(key);
  if (text !== null) return budget.spendText(text.length);
  if (typeof key === "bigint" && !isSmall(key)) return budget.spend(LARGE_NUMBER);
  if (!(key instanceof Tuple)) return;
  for (const item of key.items) {
    budget.spend(1);
    spendKey(item, budget);
  }
};

const isSmall = (value: bigint): boolean => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
