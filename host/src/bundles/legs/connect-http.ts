/**
 * The Streamable HTTP leg: speaks MCP to a server at a URL.
 */
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import type { Connection, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import type { Credential } from "./credential.ts";
import { NO_MEMORY, type EraMemory } from "./era-memory.ts";
import { createHttpClient } from "./http-client.ts";
import { HttpLeg } from "./http-leg.ts";
import type { NetworkRules } from "./network-guard.ts";
import { openConnection } from "./open-connection.ts";

export interface HttpOptions {
  readonly url: string;
  /** Resolved, credentials included; never sent to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the headers do not say whose the requests are. */
  readonly credential?: Credential | undefined;
  readonly rules: NetworkRules;
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  readonly signal: AbortSignal;
  readonly hostVersion: string;
  /** What the host offers to this server; absent: nothing. */
  readonly port?: ExtensionPort;
  /** Absent: the server is asked. */
  readonly eras?: EraMemory;
}

/** The server does not take our credential: trying again does not help. */
export class CredentialRejected extends Error {
  override readonly name = "CredentialRejected";
}

/** Streams that stay open beside the calls: change notices, and what is answered or cancelled meanwhile. */
/** For the stream of notices and control requests, and for calls that are parked at the server: at most a host's. */
const SPARE_CONNECTIONS = 1_010;

export const connectHttp = async (options: HttpOptions): Promise<Connection> => {
  const { url, headers, credential, rules, limits } = options;
  const withheld = (): string => options.port?.meta() ?? "";
  const connections = limits.concurrency + SPARE_CONNECTIONS;
  const client = await createHttpClient({ url, headers, credential, rules, connections, withheld });
  const leg = new HttpLeg(client, options);
  try {
    return await openConnection(leg, { eras: NO_MEMORY, ...options, silenceTells: false });
  } catch (error) {
    await leg.close("the handshake failed");
    const { authRejected, reason } = await leg.ended;
    throw authRejected ? new CredentialRejected(reason) : error;
  }
};
