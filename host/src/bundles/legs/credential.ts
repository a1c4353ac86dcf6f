/**
 * What a request to an upstream carries to say whose it is, and what follows when the server does not take it. One for all
 * requests of an upstream, whatever their method. Fixed headers need none.
 */
export interface Credential {
  /** The `Authorization` of the next request; null: none is at hand, and the server will say what it wants. */
  authorization(): string | null | Promise<string | null>;
  /**
   * The server answered 401 or 403. True: there is another credential now, and the request, which certainly did not run,
   * may be sent once more. False: there is none. Throws Refusal `needs_auth` where only a person can get one.
   */
  renew(challenge: Challenge): Promise<boolean>;
}

export interface Challenge {
  readonly status: number;
  /** `WWW-Authenticate` as it came. */
  readonly header: string | null;
  /** What the refused request carried. */
  readonly used: string | null;
  /** How often this request was refused before. */
  readonly refusals: number;
}
