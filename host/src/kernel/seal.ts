/**
 * Text that only this host can read and change, safe to keep in a file or to give away and take back. What was sealed for
 * one purpose opens for no other. It says nothing about age or owner: put those into the text.
 */
export interface Seals {
  /** `bw1.` and base64url: nonce, ciphertext, tag. */
  seal(purpose: string, plain: string): string;
  /** Null for everything this host did not seal for this purpose, changed or foreign. */
  unseal(purpose: string, sealed: string): string | null;
  /** Known to this host alone, another for each purpose, and the same after a restart: to hash with what nobody may guess. */
  secret(purpose: string): string;
}
