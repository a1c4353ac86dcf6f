/** Whether tokens of the configured issuer could be verified now: asks the issuer for its keys. */
import type { Config } from "@bailiwick/contract";
import { isLoopback } from "../../kernel/is-loopback.ts";
import { fail, ok, warn, type Check } from "./check.ts";

const NAME = "oidc";

export const checkTokens = async ({ auth, http }: Config): Promise<readonly Check[]> => {
  const { oidc } = auth;
  if (oidc === undefined) return [];
  return [await checkKeys(oidc), ...checkResource(http)];
};

const checkKeys = async (oidc: NonNullable<Config["auth"]["oidc"]>): Promise<Check> => {
  const { fetchKeySet } = await import("../../call/identity/fetch-key-set.ts");
  const { KeysUnavailable } = await import("../../call/identity/keys-unavailable.ts");
  try {
    const { count } = await fetchKeySet(oidc);
    if (count > 0) return ok(NAME, `${oidc.issuer} publishes ${count === 1 ? "1 key" : `${count} keys`}`);
    return fail(NAME, `${oidc.issuer} publishes no keys, so none of its tokens is accepted.`, "Make a key there.");
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    const message = `the keys of ${oidc.issuer} cannot be had: ${error.message}. Its tokens are refused, keys work.`;
    return fail(NAME, message, "Correct auth.oidc.issuer or auth.oidc.jwksUri, or start the issuer.");
  }
};

const checkResource = ({ host, publicOrigin }: Config["http"]): readonly Check[] => {
  if (publicOrigin !== undefined || isLoopback(host)) return [];
  const message = "without http.publicOrigin tokens must be for the address at which this machine reaches itself.";
  return [warn(NAME, message, 'Set "publicOrigin" in "http" to the address that clients use.')];
};
