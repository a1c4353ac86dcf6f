/**
 * From an open wire to a `Connection`: the handshake, then one object with what supervisors and calls need. The same for
 * every wire; a leg brings its correlator, and what is done at the end.
 */
import type { Catalogue, ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import type { Connection, ConnectionEnd, ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import { openConversation, type Opening } from "./handshake.ts";
import { unusableAnswer } from "./leg-refusals.ts";
import { listCatalogue } from "./list-catalogue.ts";
import { isObject, type Reply } from "./read-message.ts";

export interface Leg {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  /** Resolves when the server has taken it, as far as the wire can tell. */
  notify(method: string): Promise<void>;
  close(reason: string): Promise<void>;
  /** Looks through a catalogue for what only this wire knows. */
  review(catalogue: Catalogue): Catalogue;
  /** Opens what carries change notices, once the era is known. */
  watch(opening: Opening): void;
}

export interface OpenOptions {
  readonly events: ConnectionEvents;
  readonly hostVersion: string;
  readonly signal: AbortSignal;
  readonly skipProbe: boolean;
}

const HEADER_MISMATCH = -32020;
const VERSION_UNSUPPORTED = -32022;

export const openConnection = async (leg: Leg, options: OpenOptions): Promise<Connection> => {
  const { correlator } = leg;
  const { hostVersion, signal: opened, skipProbe } = options;
  const opening = await openConversation({
    hostVersion,
    skipProbe,
    signal: opened,
    correlator,
    initialized: () => leg.notify("notifications/initialized"),
  });
  leg.watch(opening);
  const modern = opening.era === "modern";
  const timeoutMs = Math.min(correlator.limits.timeoutMs, correlator.limits.maxTimeoutMs);
  const send = (request: ProviderRequest): Promise<Reply> => {
    const { method, name, params, meta, signal, listener } = request;
    return correlator.ask({ method, name, params, meta, signal, listener, control: false, timeoutMs });
  };
  return {
    era: opening.era,
    serverVersion: opening.serverVersion,
    list: async (signal) => leg.review(await listCatalogue({ correlator, opening, signal })),
    send: modern ? async (request): Promise<ProviderAnswer> => requireComplete(await send(request), options) : send,
    ping: (waitMs) => ping(correlator, modern, waitMs),
    inFlight: () => correlator.inFlight(),
    close: (reason) => leg.close(reason),
    ended: leg.ended,
  };
};

/** Any answer is a sign of life, also that the method is unknown. */
const ping = async (correlator: Correlator, modern: boolean, timeoutMs: number): Promise<void> => {
  const method = modern ? "server/discover" : "ping";
  const rest = { params: "", meta: "", name: null, signal: null, listener: null };
  await correlator.ask({ ...rest, method, control: true, timeoutMs });
};

/** Of a modern server only a complete result can be passed on; errors about our own hop are no answer to the caller. */
const requireComplete = (reply: Reply, { events }: OpenOptions): Reply => {
  if (reply.kind === "error") {
    if (reply.code !== HEADER_MISMATCH && reply.code !== VERSION_UNSUPPORTED) return reply;
    // Headers follow the tool's definition, so the one that is known is not the one that holds.
    if (reply.code === HEADER_MISMATCH) events.listChanged();
    throw unusableAnswer("protocol_mismatch", `it speaks of the connection: ${reply.message.slice(0, 500)}`, {
      code: reply.code,
      data: isObject(reply.data) ? reply.data : {},
    });
  }
  const type = reply.value["resultType"];
  if (type === undefined || type === "complete") return reply;
  throw unusableAnswer("unsupported_result_type", `it is of the kind ${JSON.stringify(type).slice(0, 100)}`);
};
