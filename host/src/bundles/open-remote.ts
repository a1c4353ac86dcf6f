/**
 * Opens a `url` entry: what its own words already forbid is refused here; each address it leads to is checked by the leg.
 */
import type { UrlEntry } from "@bailiwick/contract";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import { checkEntryUrl } from "./check-entry-url.ts";
import type { Connection, ConnectionLimits } from "./connection.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import type { Credential } from "./legs/credential.ts";
import { dial } from "./legs/dial.ts";
import type { NetworkRules } from "./legs/network-guard.ts";
import type { Account } from "./oauth/account.ts";
import { orAborted } from "./or-aborted.ts";
import type { Redaction } from "./redaction.ts";
import type { OpenSession } from "./session.ts";

export interface OpenRemoteOptions {
  readonly name: string;
  /** The entry with its secrets resolved, which `redaction` knows then; throws the Refusal that names what is unset. */
  readonly entry: () => UrlEntry;
  readonly rules: NetworkRules;
  readonly redaction: Redaction;
  readonly limits: ConnectionLimits;
  readonly hostVersion: string;
  readonly eras: EraVerdicts;
  readonly port: ExtensionPort;
  /** Whose it is connected with; null: the entry holds the credential itself. */
  readonly account: Account | null;
}

export const openRemote =
  (options: OpenRemoteOptions): OpenSession =>
  async (events, signal) => {
    const { rules, limits, hostVersion } = options;
    const entry = options.entry();
    const { url } = entry;
    const headers = headersOf(entry);
    options.redaction.learnNamed(headers);
    options.redaction.learn(credentialsOf(entry));
    checkEntryUrl(url, options);
    const eras = await options.eras.recall(url);
    let lost = (): void => {};
    const credential = options.account === null ? undefined : watchAccount(options.account, () => lost());
    const dialling = dial({
      transport: entry.transport.type,
      url,
      headers,
      credential,
      limits,
      events,
      signal,
      hostVersion,
      rules,
      eras,
      port: options.port,
    });
    signal.addEventListener("abort", () => void closeLate(dialling), { once: true });
    const connection = await orAborted(dialling, signal);
    lost = () => void connection.close("its account is not connected any more");
    return {
      connection,
      end: (how) => connection.close(how === "stop" ? "the bundle was stopped" : "it is being connected again"),
    };
  };

/** A connection that comes up after nobody waits for it is closed again. */
const closeLate = async (dialling: Promise<Connection>): Promise<void> => {
  const late = await dialling.catch(() => null);
  await late?.close("nobody waits for it any more");
};

/** A connection whose account is gone is of no use; the next start says what the person has to do. */
const watchAccount = (account: Account, lost: () => void): Credential => ({
  authorization: () => account.authorization(),
  renew: async (challenge) => {
    try {
      return await account.renew(challenge);
    } catch (error) {
      // After the request that found it out was told why.
      if (!account.isConnected()) setImmediate(lost);
      throw error;
    }
  },
});

const headersOf = ({ transport }: UrlEntry): Record<string, string> => {
  const headers: Record<string, string> = { ...transport.headers };
  const { auth } = transport;
  if (auth.type === "bearer") headers["authorization"] = `Bearer ${auth.token}`;
  if (auth.type === "header") headers[auth.name.toLowerCase()] = auth.value;
  return headers;
};

const credentialsOf = ({ transport: { auth } }: UrlEntry): string[] => {
  if (auth.type === "bearer") return [auth.token];
  if (auth.type === "oauth") return auth.clientSecret === undefined ? [] : [auth.clientSecret];
  return auth.type === "header" ? [auth.value] : [];
};
