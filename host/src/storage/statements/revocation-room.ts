/**
 * Whether there is room for one more withdrawn mandate. A pinned principal is always heard. Anybody may sign for mandates that
 * this host has never seen, so what is not pinned shares a bounded place: each sender has a quota, and when the place is full
 * whoever takes most of it makes room, so that nobody can push out what another sent.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { Json } from "../archive/archive-parts.ts";
import type { KeptStatements } from "./kept-statements.ts";

const MAX_OF_ONE = 1000;
const MAX_UNPINNED = 5000;

export interface NewRevocation {
  /** Base64 of the principals' keys that the operator named. */
  readonly pinned: ReadonlySet<string>;
  readonly publicKey: string;
  /** Who sent it. */
  readonly by: string;
}

const keyOf = (statement: Json): string => (statement["principal"] as { public_key: string }).public_key;

/** What has to go; null: nothing. */
export const makeRevocationRoom = (kept: KeptStatements, { pinned, publicKey, by }: NewRevocation): Json | null => {
  if (pinned.has(publicKey)) return null;
  const isUnpinned = (statement: Json): boolean => !pinned.has(keyOf(statement));
  const shares = new Map<string, number>();
  let total = 0;
  for (const { statement, by: sender } of kept.values()) {
    if (!isUnpinned(statement)) continue;
    shares.set(sender, (shares.get(sender) ?? 0) + 1);
    total++;
  }
  if ((shares.get(by) ?? 0) >= MAX_OF_ONE) throw tooMany();
  if (total < MAX_UNPINNED) return null;
  const most = [...shares].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  for (const { statement, by: sender } of kept.values()) if (sender === most && isUnpinned(statement)) return statement;
  return null;
};

const tooMany = (): Refusal =>
  new Refusal("quota_exceeded", {
    message: `This host keeps no more than ${MAX_OF_ONE} revocations from one caller whose principals are not pinned.`,
    next: "Ask the operator of the host to name the principal's public key in auth.mandatePrincipals.",
  });
