/** What the doors need of `auth.oidc`: to have a token verified before `identify` is asked, and to say where tokens come from. */
export interface TokenDoor {
  /** True for a token that `identify` cannot know yet. False for every key. */
  needsAdmission(credential: string): boolean;
  /** Verifies it, so that `identify` knows it; null, or why it is not accepted. */
  admit(token: string): Promise<string | null>;
  readonly issuer: string;
  /** The address that a token must be for: `https://host.example/mcp`. */
  resource(): string;
  /** Whether a scope that a client asks for becomes a permission here. */
  readonly scopesArePermissions: boolean;
}

/** Calling needs no scope of its own; this one every OpenID provider knows. */
export const SCOPE = "openid";
