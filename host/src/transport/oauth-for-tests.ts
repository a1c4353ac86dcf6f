/** A stand-in for the accounts of bundles, which are another room's: bundle `p` wants one, `q` shares one, others none. */
import { Refusal } from "../kernel/refusal.ts";
import type { OAuthAdmin } from "./oauth-admin.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

export const STATE = "the-state";
export const BROWSER = "the-browser";

export const standInOAuth = (asked: string[], origin: string): OAuthAdmin => ({
  origin: () => origin,
  ownerFor: (provider, principal) => {
    if (provider === "p") return principal;
    if (provider === "q") return "workspace:ws_default";
    throw new Refusal("not_found", { message: "Nothing to connect.", next: "None." });
  },
  begin: async ({ workspace, provider, owner, by }) => {
    asked.push(`connect ${provider} for ${owner} by ${by}${workspace === WORKSPACE ? "" : ` in ${workspace}`}`);
    return {
      provider,
      owner,
      upstream: "https://up.example/mcp",
      authorizationServer: "https://as.example",
      scopes: ["read", "<b>write</b>"],
      url: `https://as.example/authorize?state=${STATE}&a="b"`,
      browser: BROWSER,
    };
  },
  finish: async (answer, browser) => {
    asked.push(`finish ${answer.get("state")} ${answer.get("code")} ${answer.get("iss")} in ${browser}`);
    if (answer.get("state") === STATE && browser === BROWSER) return { provider: "p", owner: "person:owner" };
    throw new Refusal("bad_request", { message: "Nothing was begun.", next: "Begin anew." });
  },
  clientDocument: () => ({ client_id: `${origin}/v1/oauth/client.json` }),
});
