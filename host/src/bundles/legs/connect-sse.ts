/**
 * The leg to a server of the older HTTP transport: opens its stream, and takes the address for messages from it. The
 * address must be on the origin of the entry's URL, so that its credential goes nowhere else.
 */
import type { Connection } from "../connection.ts";
import { orAborted } from "../or-aborted.ts";
import { CredentialRejected, type HttpOptions } from "./connect-http.ts";
import { KNOWN_LEGACY } from "./era-memory.ts";
import { createHttpClient, isEventStream, type HttpClient } from "./http-client.ts";
import { describeFailure, isUnsent } from "./http-failure.ts";
import { openConnection } from "./open-connection.ts";
import { SseLeg } from "./sse-leg.ts";

/** Beside the calls: what is answered or cancelled meanwhile. */
const SPARE_CONNECTIONS = 10;

export const connectSse = async (options: HttpOptions): Promise<Connection> => {
  const { url, headers, credential, rules, limits, signal } = options;
  const shared = { headers, credential, rules };
  const client = await createHttpClient({ ...shared, url, connections: 1 });
  const leg = await openStream(client, options).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  void leg.ended.then(() => Promise.all([client.close(), leg.client?.close()]));
  try {
    const address = checkAddress(await orAborted(leg.endpoint, signal), url);
    leg.client = await createHttpClient({
      ...shared,
      url: address,
      connections: limits.concurrency + SPARE_CONNECTIONS,
    });
    return await openConnection(leg, { ...options, eras: KNOWN_LEGACY, silenceTells: false });
  } catch (error) {
    await leg.close("the handshake failed");
    const { authRejected, reason } = await leg.ended;
    throw authRejected ? new CredentialRejected(reason) : error;
  }
};

const openStream = async (client: HttpClient, options: HttpOptions): Promise<SseLeg> => {
  // Until the stream is there the start may be called off; after that it lives as long as the leg.
  const opening = new AbortController();
  const request = { method: "GET", headers: { accept: "text/event-stream" }, body: null, sending: null } as const;
  const response = await orAborted(client.request({ ...request, signal: opening.signal }), options.signal).catch(
    (error: unknown) => {
      opening.abort();
      throw isUnsent(error) ? new Error(`unreachable: ${describeFailure(error)}`) : error;
    },
  );
  const { status, body } = response;
  if (status === 200 && isEventStream(response)) return new SseLeg(body, options);
  body.destroy();
  if (status === 401 || status === 403) {
    throw new CredentialRejected(`the server rejected our credential (HTTP ${status})`);
  }
  throw new Error(`the server answered GET with HTTP ${status} and no stream of events; check \`url\` of this entry`);
};

/** Throws on an address elsewhere. */
const checkAddress = (named: string, url: string): string => {
  const address = URL.canParse(named, url) ? new URL(named, url) : null;
  if (address?.origin === new URL(url).origin) return address.href;
  throw new Error("the server named an address for messages that is none on its own origin");
};
