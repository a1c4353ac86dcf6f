/** One hash over all that is revoked, so that a witness can say that it saw it. Pure. */
import { hash } from "node:crypto";

export interface RevokedMandate {
  readonly mandateId: string;
  /** Base64, of the principal that withdrew it. */
  readonly publicKey: string;
}

export const revocationHead = (mandates: Iterable<RevokedMandate>, keyIds: Iterable<string>): string => {
  const lines = [
    ...Array.from(mandates, ({ mandateId, publicKey }) => `m\0${mandateId}\0${publicKey}\n`),
    ...Array.from(keyIds, (id) => `k\0${id}\n`),
  ];
  // ASCII only, so this is the order by code point.
  return hash("sha256", lines.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(""));
};
