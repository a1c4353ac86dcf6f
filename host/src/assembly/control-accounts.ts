/** Accounts as people connect them. Who asked for whom is durable before anything is asked of an authorization server. */
import type { Connector } from "../bundles/oauth/create-connector.ts";
import type { OAuthAdmin } from "../transport/oauth-admin.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface AccountParts {
  readonly connector: Connector;
  readonly events: HostEvents;
  readonly origin: () => string;
}

export const controlAccounts = ({ connector, events, origin }: AccountParts): OAuthAdmin => ({
  origin,
  ownerFor: (provider, principal) => connector.ownerFor(provider, principal),
  async begin({ provider, owner, by }) {
    // Throws where there is nothing to connect, so that only what exists is recorded.
    connector.ownerFor(provider, owner);
    await events.accountAsked(provider, owner, by);
    return connector.begin(provider, owner);
  },
  async finish(answer, browser) {
    const connected = await connector.finish(answer, browser);
    await events.accountConnected(connected.provider, connected.owner);
    return connected;
  },
  clientDocument: () => connector.clientDocument(origin()),
});
