/** The keys that this host signs and has signed with. Their secrets are in none of these. */
export interface HostKeyRow {
  /** First 16 hex of the SHA-256 of the raw public key. */
  readonly key_id: string;
  /** Base64. */
  readonly public_key: string;
  readonly state: "current" | "former" | "revoked";
  /** ISO: since when it is in that state. */
  readonly since: string;
  /** Why it was revoked. */
  readonly reason?: string;
}

/** `by` is who asked, for evidence. */
export interface HostKeys {
  /** The current one first. */
  list(): readonly HostKeyRow[];
  /** Makes a new key, to which the old one signs the way; answers with the new one. */
  rotate(by: string): Promise<HostKeyRow>;
  /** Refusal `not_found` for a key that is none of this host's. */
  revoke(order: { readonly keyId: string; readonly reason: string }, by: string): Promise<HostKeyRow>;
}
