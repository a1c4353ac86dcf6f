/** What a key or a token says about whoever holds it. */
import type { KeyRow } from "../../kernel/key.ts";
import type { Principal } from "../../kernel/principal.ts";

export interface Credential extends Omit<KeyRow, "createdAt" | "revokedAt"> {
  /** What the issuer of a token says; keys have none. */
  readonly roles?: readonly string[];
  /** How evidence names the holder where that is not the principal's URI. */
  readonly subject?: Principal["subject"];
}
