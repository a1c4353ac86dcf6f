/** Connecting accounts at the servers of bundles, as the doors are handed it. Nothing here is a token. */
export interface OAuthConsent {
  readonly provider: string;
  readonly upstream: string;
  readonly owner: string;
  readonly authorizationServer: string;
  /** Null: whatever the authorization server gives. */
  readonly scopes: readonly string[] | null;
  /** Where the person agrees. */
  readonly url: string;
  /** What the browser must bring back with the answer. */
  readonly browser: string;
}

export interface OAuthOrder {
  readonly workspace: string;
  readonly provider: string;
  /** Whose calls will use the account. */
  readonly owner: string;
  /** The principal who asked, for evidence. */
  readonly by: string;
}

export interface OAuthAdmin {
  /** Where people reach this host. */
  origin(): string;
  /** Whose account a principal's calls use. Throws Refusal `not_found` where there is nothing to connect. */
  ownerFor(provider: string, principal: string, workspace: string): string;
  begin(order: OAuthOrder): Promise<OAuthConsent>;
  finish(
    answer: URLSearchParams,
    browser: string | null,
  ): Promise<{ readonly provider: string; readonly owner: string }>;
  /** The client metadata document. */
  clientDocument(): object;
}
