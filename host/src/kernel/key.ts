/** A named API key as the rooms speak of it. Its secret is in none of these. */
export interface KeyRow {
  readonly name: string;
  /** The principal it acts as, and the person it acts for. */
  readonly as: string;
  readonly for: string | null;
  readonly scopes: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly workspace: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** What somebody asks for who wants one. */
export interface NewKey {
  readonly name: string;
  readonly as?: string;
  readonly for?: string;
  readonly scopes?: readonly string[];
  readonly permissions?: readonly string[];
  readonly workspace?: string;
}
