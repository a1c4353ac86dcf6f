/**
 * How a person connects an account: from the wish to the address of the authorization server, and from what it sent back
 * to tokens that are kept. Who may do it for whom is decided where the person is known.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { Accounts } from "./accounts.ts";
import { describeFlowFailure } from "./flow-failure.ts";
import { describeClient, OAUTH_CALLBACK, OAUTH_CLIENT } from "./oauth-settings.ts";
import { PendingFlows } from "./pending-flows.ts";

export interface Connectable {
  readonly accounts: Accounts;
  /** Told when an account was connected. */
  welcome(owner: string): void;
}

/** What a person must know before agreeing. */
export interface Consent {
  readonly provider: string;
  readonly upstream: string;
  /** Whose calls will use it. */
  readonly owner: string;
  readonly authorizationServer: string;
  /** Null: whatever the server gives. */
  readonly scopes: readonly string[] | null;
  /** Where the person agrees. */
  readonly url: string;
  /** What the browser must bring back. */
  readonly browser: string;
}

export interface Connector {
  /** Throws Refusal `not_found` where there is no such bundle or it wants no account. */
  begin(provider: string, owner: string): Promise<Consent>;
  /** Whose account a principal's calls use. Throws as `begin` does. */
  ownerFor(provider: string, principal: string): string;
  finish(
    answer: URLSearchParams,
    browser: string | null,
  ): Promise<{ readonly provider: string; readonly owner: string }>;
  /** The client metadata document for a host at this origin. */
  clientDocument(origin: string): object;
}

export const createConnector = (find: (provider: string) => Connectable | null): Connector => {
  const pending = new PendingFlows();

  const begin = async (provider: string, owner: string): Promise<Consent> => {
    const { accounts } = find(provider) ?? nothingToConnect(provider);
    const account = accounts.of(owner);
    const { flow, url } = await account
      .begin()
      .then((begun) => {
        accounts.checkAuthorizationUrl(begun.url);
        return begun;
      })
      .catch((error: unknown) => {
        throw notBegun(provider, error);
      });
    return {
      provider,
      owner,
      upstream: accounts.upstream,
      authorizationServer: flow.issuer,
      scopes: flow.requestedScope?.split(" ") ?? null,
      url: url.href,
      browser: pending.add({ provider, owner, account, flow }),
    };
  };

  return {
    begin,
    ownerFor: (provider, principal) => (find(provider) ?? nothingToConnect(provider)).accounts.ownerFor(principal),
    async finish(answer, browser) {
      const found = pending.take(answer.get("state"), browser) ?? notPending();
      const { provider, owner, account, flow } = found;
      await account.finish(flow, answer).catch((error: unknown) => {
        throw notFinished(provider, error);
      });
      find(provider)?.welcome(owner);
      return { provider, owner };
    },
    clientDocument: (origin) => ({
      client_id: `${origin}${OAUTH_CLIENT}`,
      ...describeClient(`${origin}${OAUTH_CALLBACK}`),
      token_endpoint_auth_method: "none",
    }),
  };
};

const nothingToConnect = (provider: string): never => {
  throw new Refusal("not_found", {
    message: `The bundle "${provider}" wants no account.`,
    next: 'Only entries with transport.auth {"type": "oauth"} do; see: bailiwick bundle list',
  });
};

const notPending = (): never => {
  throw new Refusal("bad_request", {
    message:
      "This answer of an authorization server belongs to nothing that was begun here in the last ten minutes, in this browser.",
    next: "Open the link of the bundle again and begin anew.",
  });
};

const notBegun = (provider: string, error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal("upstream_failed", {
        message: `An account for ${provider} cannot be connected: ${describeFlowFailure(error)}.`,
        next: "Check `url` and `transport.auth` of its entry, and that its authorization server can be reached; then try again.",
      });

const notFinished = (provider: string, error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal("upstream_failed", {
        message: `The account for ${provider} was not connected: ${describeFlowFailure(error)}.`,
        next: "Open the link of the bundle again and begin anew.",
      });
