// An account at the scenario's server whose person agrees at once: the authorization endpoint redirects by itself.
import { Account } from "../../dist/bundles/oauth/account.js";
import { Grant } from "../../dist/bundles/oauth/grant.js";
import { createGuardedFetch } from "../../dist/bundles/oauth/guarded-fetch.js";

const CLIENT_METADATA = "https://conformance-test.local/client-metadata.json";

const createStore = () => {
  const kept = new Map();
  const nameOf = (key) => JSON.stringify(key);
  return {
    read: (key) => kept.get(nameOf(key)) ?? null,
    write: (key, text) => void kept.set(nameOf(key), text),
    remove: (key) => void kept.delete(nameOf(key)),
    keys: () => [],
  };
};

const authorize = async (address) => {
  const response = await fetch(address, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${address.origin} answered ${response.status} and redirects nowhere`);
  return new URL(location);
};

export const createAccount = ({ url, rules, scenario, given }) =>
  new Account({
    grant: new Grant(createStore(), { provider: "scenario", url, owner: "person:local" }),
    settings: () => ({
      url,
      grant: scenario.startsWith("auth/client-credentials") ? "client_credentials" : "authorization_code",
      clientId: given.client_id,
      clientSecret: given.client_secret,
      scopes: [],
      redirectUrl: "http://127.0.0.1:7420/v1/oauth/callback",
      clientMetadataUrl: CLIENT_METADATA,
    }),
    fetch: createGuardedFetch({ rules, clean: (text) => text }),
    learn: () => {},
    authorize,
    needsAuth: (reason) => new Error(reason),
  });
