/**
 * Opens a `url` entry: what its own words already forbid is refused here; each address it leads to is checked by the leg.
 */
import type { UrlEntry } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { Connection, ConnectionLimits } from "./connection.ts";
import { connectHttp } from "./legs/connect-http.ts";
import { checkUrl, type NetworkRules } from "./legs/network-guard.ts";
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
}

export const openRemote =
  (options: OpenRemoteOptions): OpenSession =>
  async (events, signal) => {
    const { name, rules, limits, hostVersion } = options;
    const entry = options.entry();
    const { url } = entry;
    const headers = headersOf(entry, name);
    options.redaction.learnNamed(headers);
    options.redaction.learn(credentialsOf(entry));
    checkEntryUrl(url, options);
    const dialling = connectHttp({ url, headers, limits, events, signal, hostVersion, rules });
    signal.addEventListener("abort", () => void closeLate(dialling), { once: true });
    const connection = await orAborted(dialling, signal);
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

const checkEntryUrl = (url: string, { name, rules }: OpenRemoteOptions): void => {
  try {
    checkUrl(new URL(url), rules);
  } catch (error) {
    throw new Refusal("install_refused", {
      message: `${name} may not be connected to: ${(error as Error).message}.`,
      next: `Correct "url" of the entry "${name}", or the setting that the reason names.`,
    });
  }
};

const notAvailable = (name: string, what: string, next: string): Refusal =>
  new Refusal("install_refused", { message: `${name} uses ${what}, which is not available yet.`, next });

const headersOf = ({ transport }: UrlEntry, name: string): Record<string, string> => {
  if (transport.type === "sse") {
    throw notAvailable(name, 'transport.type "sse"', 'Use the server\'s Streamable HTTP address and leave "type" out.');
  }
  const headers: Record<string, string> = { ...transport.headers };
  const { auth } = transport;
  if (auth.type === "oauth") {
    throw notAvailable(name, 'transport.auth type "oauth"', 'Use "bearer" with a token of that server.');
  }
  if (auth.type === "bearer") headers["authorization"] = `Bearer ${auth.token}`;
  if (auth.type === "header") headers[auth.name.toLowerCase()] = auth.value;
  return headers;
};

const credentialsOf = ({ transport: { auth } }: UrlEntry): string[] => {
  if (auth.type === "bearer") return [auth.token];
  return auth.type === "header" ? [auth.value] : [];
};
