/**
 * From an open wire to a `Connection`: the handshake, then one object with what supervisors and calls need. The same for
 * every wire; a leg brings its correlator, and what is done at the end.
 */
import type { ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import type { Connection, ConnectionEnd } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import { openConversation, type Opening } from "./handshake.ts";
import { unusableAnswer } from "./leg-refusals.ts";
import { listCatalogue } from "./list-catalogue.ts";
import { isObject, type Reply } from "./read-message.ts";

export interface Leg {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  notify(method: string): void;
  close(reason: string): Promise<void>;
  /** Opens what carries change notices, once the era is known. */
  watch(opening: Opening): void;
}

export interface OpenOptions {
  readonly hostVersion: string;
  readonly signal: AbortSignal;
  readonly skipProbe: boolean;
}

export const openConnection = async (leg: Leg, options: OpenOptions): Promise<Connection> => {
  const { correlator } = leg;
  const opening = await openConversation({
    ...options,
    correlator,
    initialized: () => leg.notify("notifications/initialized"),
  });
  leg.watch(opening);
  const modern = opening.era === "modern";
  const limits = correlator.limits;
  const send = (request: ProviderRequest): Promise<Reply> => {
    const { method, name, params, meta, signal, listener } = request;
    return correlator.ask({ method, name, params, meta, signal, listener, control: false, timeoutMs: limits.timeoutMs });
  };
  return {
    era: opening.era,
    serverVersion: opening.serverVersion,
    list: (signal) => listCatalogue({ correlator, opening, signal }),
    send: modern ? async (request): Promise<ProviderAnswer> => requireComplete(await send(request)) : send,
    ping: (timeoutMs) => ping(correlator, modern, timeoutMs),
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
const requireComplete = (reply: Reply): Reply => {
  if (reply.kind === "error") {
    if (reply.code !== -32020 && reply.code !== -32022) return reply;
    throw unusableAnswer("protocol_mismatch", `it speaks of the connection: ${reply.message.slice(0, 500)}`, {
      code: reply.code,
      data: isObject(reply.data) ? reply.data : {},
    });
  }
  const type = reply.value["resultType"];
  if (type === undefined || type === "complete") return reply;
  throw unusableAnswer("unsupported_result_type", `it is of the kind ${JSON.stringify(type).slice(0, 100)}`);
};
