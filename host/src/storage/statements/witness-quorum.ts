/** How many different keys bear witness to one head. Keys count, not names and not key ids, and only those that are pinned. */
import type { Json } from "../archive/archive-parts.ts";
import { findWitnessDefect } from "./check-statement.ts";

export interface WitnessedHead {
  readonly hostId: string;
  readonly sequence: number;
  readonly storeHead: string;
  /** Base64 of the public keys that count. */
  readonly pinned: ReadonlySet<string>;
}

export const countWitnesses = (statements: Iterable<unknown>, head: WitnessedHead): number => {
  const keys = new Set<string>();
  for (const statement of statements) {
    if (findWitnessDefect(statement) !== null) continue;
    const given = statement as Json;
    const { public_key: key } = given["witness"] as { public_key: string };
    const isOurs =
      given["host_id"] === head.hostId && given["sequence"] === head.sequence && given["store_head"] === head.storeHead;
    if (isOurs && head.pinned.has(key)) keys.add(key);
  }
  return keys.size;
};
