/**
 * Where the host keeps what other servers gave it: tokens, client registrations and what was found out about their
 * authorization servers. Every record is sealed at rest. It knows nothing of OAuth: a key names a record, its text is the
 * caller's.
 */
export type TokenKey = readonly string[];

export interface TokenStore {
  /** Null when there is none, or none that this host can open. */
  read(key: TokenKey): string | null;
  /** Durable when it returns. */
  write(key: TokenKey, text: string): void;
  remove(key: TokenKey): void;
  /** The keys of all records that begin with these parts. */
  keys(prefix: TokenKey): readonly TokenKey[];
}
