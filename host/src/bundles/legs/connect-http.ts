/**
 * The Streamable HTTP leg: speaks MCP to a server at a URL.
 */
import type { Connection, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import { createHttpClient } from "./http-client.ts";
import { HttpLeg } from "./http-leg.ts";
import type { NetworkRules } from "./network-guard.ts";
import { openConnection } from "./open-connection.ts";

export interface HttpOptions {
  readonly url: string;
  /** Resolved, credentials included; never sent to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: NetworkRules;
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  readonly signal: AbortSignal;
  readonly hostVersion: string;
}

/** The server does not take our credential: trying again does not help. */
export class CredentialRejected extends Error {
  override readonly name = "CredentialRejected";
}

/** Streams that stay open beside the calls: change notices, and what is answered or cancelled meanwhile. */
const SPARE_CONNECTIONS = 10;

export const connectHttp = async (options: HttpOptions): Promise<Connection> => {
  const { url, headers, rules, limits } = options;
  const client = await createHttpClient({ url, headers, rules, connections: limits.concurrency + SPARE_CONNECTIONS });
  const leg = new HttpLeg(client, options);
  try {
    return await openConnection(leg, { ...options, skipProbe: false });
  } catch (error) {
    await leg.close("the handshake failed");
    const { authRejected, reason } = await leg.ended;
    throw authRejected ? new CredentialRejected(reason) : error;
  }
};
