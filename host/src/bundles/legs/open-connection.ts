/**
 * From an open wire to a `Connection`: the handshake, then one object with what supervisors and calls need. The same for
 * every wire; a leg brings its correlator, and what is done at the end.
 */
import { NO_PORT, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { Catalogue, ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import type { RawMembers } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { Connection, ConnectionEnd, ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import { MODERN_VERSION } from "./envelope.ts";
import type { EraMemory } from "./era-memory.ts";
import { createRounds } from "./extension-rounds.ts";
import { createTaskRounds } from "./extension-tasks.ts";
import { openConversation, type Opening } from "./handshake.ts";
import { unusableAnswer } from "./leg-refusals.ts";
import { listCatalogue } from "./list-catalogue.ts";
import { isObject, type Reply } from "./read-message.ts";
import { toAnswer } from "./to-answer.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface Leg {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  readonly subscriptions: Subscriptions;
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
  readonly eras: EraMemory;
  readonly silenceTells: boolean;
  /** What the host offers to this server; absent: nothing. */
  readonly port?: ExtensionPort;
}

const HEADER_MISMATCH = -32020;
const VERSION_UNSUPPORTED = -32022;

export const openConnection = async (leg: Leg, options: OpenOptions): Promise<Connection> => {
  const { correlator } = leg;
  const { hostVersion, signal: opened, eras, silenceTells, port = NO_PORT } = options;
  const opening = await openConversation({
    hostVersion,
    eras,
    silenceTells,
    port,
    signal: opened,
    correlator,
    initialized: () => leg.notify("notifications/initialized"),
  });
  leg.watch(opening);
  const modern = opening.era === "modern";
  const { timeoutMs: usualMs, maxTimeoutMs } = correlator.limits;
  const send = (request: ProviderRequest): Promise<Reply> => {
    const { method, name, meta, signal, listener } = request;
    const params = modern || request.asTask ? request.params : withoutTask(request.params);
    const timeoutMs = Math.min(request.limitMs ?? usualMs, maxTimeoutMs);
    return correlator.ask({ method, name, params, meta, signal, listener, control: false, timeoutMs, call: request });
  };
  const list = async (signal: AbortSignal): Promise<Catalogue> =>
    leg.review(await listCatalogue({ correlator, opening, signal }));
  const sending: Sending = { send, list, events: options.events };
  return {
    era: opening.era,
    serverVersion: opening.serverVersion,
    list,
    send: modern
      ? createRounds(
          createTaskRounds((request) => sendModern(request, sending), port),
          port,
        )
      : send,
    watches: () => leg.subscriptions.possible(),
    watch: (uris) => leg.subscriptions.want(uris),
    ping: (waitMs) => ping(correlator, modern, waitMs),
    inFlight: () => correlator.inFlight(),
    close: (reason) => leg.close(reason),
    ended: leg.ended,
  };
};

/** To a legacy server `task` means something else than to those who may say it. */
const withoutTask = (params: RawMembers): RawMembers => {
  if (!params.includes('"task"')) return params;
  const object = `{${params}}`;
  return joinMembers(
    object,
    membersOf(object).filter(({ key }) => key !== "task"),
  );
};

/** Any answer is a sign of life, also that the method is unknown. */
const ping = async (correlator: Correlator, modern: boolean, timeoutMs: number): Promise<void> => {
  const method = modern ? "server/discover" : "ping";
  const rest = { params: "", meta: "", name: null, signal: null, listener: null };
  await correlator.ask({ ...rest, method, control: true, timeoutMs });
};

interface Sending {
  readonly send: (request: ProviderRequest) => Promise<Reply>;
  readonly list: Connection["list"];
  readonly events: ConnectionEvents;
}

/** What a server says about our own hop is no answer to the caller: the call did not run, and is sent once more. */
const sendModern = async (request: ProviderRequest, sending: Sending): Promise<ProviderAnswer> => {
  const first = await sending.send(request);
  if (!isAboutHop(first)) return toAnswer(first, "modern");
  if (!(await mend(first, request, sending))) throw hopFailed(first);
  const second = await sending.send(request);
  if (isAboutHop(second)) throw hopFailed(second);
  return toAnswer(second, "modern");
};

const isAboutHop = (reply: Reply): reply is Reply & { kind: "error" } =>
  reply.kind === "error" && (reply.code === HEADER_MISMATCH || reply.code === VERSION_UNSUPPORTED);

/** False: nothing could be mended, so that another send would end as the first one. */
const mend = async (reply: Reply & { kind: "error" }, request: ProviderRequest, sending: Sending): Promise<boolean> => {
  if (reply.code === VERSION_UNSUPPORTED) {
    const supported = isObject(reply.data) ? reply.data["supported"] : null;
    return !Array.isArray(supported) || supported.includes(MODERN_VERSION);
  }
  // Headers follow the tool's definition, so the one that is known is not the one that holds.
  sending.events.listChanged();
  const listed = await sending.list(request.signal).catch(() => null);
  if (listed === null) return false;
  return request.method !== "tools/call" || listed.tools.some(({ name }) => name === request.name);
};

const hopFailed = ({ code, message, data }: Reply & { kind: "error" }): Refusal =>
  unusableAnswer("protocol_mismatch", `it speaks of the connection: ${message.slice(0, 500)}`, {
    code,
    data: isObject(data) ? data : {},
  });
