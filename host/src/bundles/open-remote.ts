/**
 * Opens a `url` entry. What may be dialled at all is decided by the leg, for each address it connects to.
 */
import type { UrlEntry } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { ConnectionLimits } from "./connection.ts";
import { orAborted } from "./or-aborted.ts";
import type { OpenSession } from "./session.ts";

export interface NetworkRules {
  readonly allowInsecureRemotes: boolean;
  readonly allowPrivateRemotes: readonly string[];
}

export interface OpenRemoteOptions {
  readonly name: string;
  /** The entry with its secrets resolved; throws the Refusal that names what is unset. */
  readonly entry: () => UrlEntry;
  readonly rules: NetworkRules;
  readonly limits: ConnectionLimits;
  readonly hostVersion: string;
}

export const openRemote =
  (options: OpenRemoteOptions): OpenSession =>
  async (events, signal) => {
    const entry = options.entry();
    const headers = headersOf(entry, options.name);
    // The HTTP client costs start-up time and memory that a host without remote servers need not spend.
    const { connectHttp } = await import("./legs/connect-http.ts");
    const { limits, hostVersion, rules } = options;
    const dialling = connectHttp({ url: entry.url, headers, limits, events, signal, hostVersion, rules });
    const connection = await orAborted(dialling, signal).catch((error: unknown) => {
      // It may still come up after nobody waits for it.
      dialling.then((late) => late.close("nobody waits for it any more")).catch(() => {});
      throw error;
    });
    return {
      connection,
      end: (how) => connection.close(how === "stop" ? "the bundle was stopped" : "it is being connected again"),
    };
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
