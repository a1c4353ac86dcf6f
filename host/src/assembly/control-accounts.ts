/** Accounts as people connect them. Who asked for whom is durable before anything is asked of an authorization server. */
import type { Connector } from "../bundles/oauth/create-connector.ts";
import type { OAuthAdmin } from "../transport/oauth-admin.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface AccountParts {
  /** Of a workspace that is open. */
  readonly connector: (workspace: string) => Connector;
  readonly events: HostEvents;
  readonly origin: () => string;
}

const MAX_BEGUN = 10_000;

export const controlAccounts = ({ connector, events, origin }: AccountParts): OAuthAdmin => {
  /** In which workspace each flow began: what the browser brings back does not say. */
  const begun = new Map<string, string>();
  return {
    origin,
    ownerFor: (provider, principal, workspace) => connector(workspace).ownerFor(provider, principal),
    async begin({ provider, owner, by, workspace }) {
      const own = connector(workspace);
      // Throws where there is nothing to connect, so that only what exists is recorded.
      own.ownerFor(provider, owner);
      await events.accountAsked({ bundle: provider, workspace, owner, by });
      const consent = await own.begin(provider, owner);
      const [oldest] = begun.keys();
      if (begun.size >= MAX_BEGUN && oldest !== undefined) begun.delete(oldest);
      begun.set(new URL(consent.url).searchParams.get("state") ?? "", workspace);
      return consent;
    },
    async finish(answer, browser) {
      const state = answer.get("state") ?? "";
      const workspace = begun.get(state) ?? DEFAULT_WORKSPACE;
      const own = connector(workspace);
      const connected = await own.finish(answer, browser);
      begun.delete(state);
      await events.accountConnected({ bundle: connected.provider, workspace, owner: connected.owner });
      return connected;
    },
    clientDocument: () => connector(DEFAULT_WORKSPACE).clientDocument(origin()),
  };
};
