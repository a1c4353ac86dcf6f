/**
 * All open `subscriptions/listen` streams: how many each principal has, what they watch, and their end. A stream that
 * could hear nothing is acknowledged and ends at once.
 */
import { declaresTasks, type WatchedTask } from "../kernel/tasks.ts";
import { featuresOf } from "./describe-host.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { LIST_FLAGS, readListenFilter } from "./listen-filter.ts";
import { ListenStream } from "./listen-stream.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { MessageStream } from "./message-stream.ts";
import type { Message } from "./message.ts";
import { ownText } from "./own-text.ts";
import { readDeclared } from "./read-declared.ts";
import { ownerOf } from "./sessions.ts";

const MAX_A_PRINCIPAL = 64;
/** More than any client shows; those beyond are left out of what is acknowledged. */
const MAX_URIS = 256;
/** As many as a principal can have under way. */
const MAX_TASKS = 64;
/** Every message of the stream carries the request's id. */
const MAX_ID_BYTES = 1024;
const RETRY_S = 5;
const NOTHING: ReadonlyMap<string, () => void> = new Map();

export class ListenStreams {
  readonly #deps: ListenerDeps;
  /** Each with its workspace. */
  readonly #open = new Map<ListenStream, string>();
  readonly #counts = new Map<string, number>();

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens a stream, unless it is refused; null: the caller takes none. */
  open(exchange: Exchange, message: Message, openStream: (() => MessageStream) | null): DoorRefusal | null {
    const { principal, provider, presented } = exchange;
    const filter = readListenFilter(message.params);
    if ("refusal" in filter) return filter;
    if (openStream === null) return needsStream();
    if (Buffer.byteLength(message.idText ?? "") > MAX_ID_BYTES) return longId();
    const owner = ownerOf(principal);
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_A_PRINCIPAL) return tooMany(count);
    const features = featuresOf(exchange.surface(), provider);
    const lists = filter.lists.filter((flag) => features[LIST_FLAGS[flag]]);
    const mayHear = (): boolean => this.#deps.identify(presented, "mcp") !== null;
    const messages = openStream();
    const stream = new ListenStream({ messages, id: ownText(message.idText ?? "null"), lists, mayHear });
    const uris = features.resources ? this.#watch(exchange, filter.uris, stream) : NOTHING;
    const declared = readDeclared(message);
    const mine = { principal, provider, declared };
    const tasks = declaresTasks(declared) ? this.#watchTasks(mine, filter.tasks, stream) : NOTHING;
    this.#counts.set(owner, count + 1);
    this.#open.set(stream, principal.workspace);
    messages.onClose(() => {
      this.#forget(stream, owner);
      for (const end of [...uris.values(), ...tasks.values()]) end();
    });
    stream.acknowledge([...uris.keys()], [...tasks.keys()]);
    if (lists.length === 0 && uris.size === 0 && tasks.size === 0) stream.end();
    return null;
  }

  announceChange(workspace: string): void {
    for (const [stream, own] of this.#open) if (own === workspace) stream.announceChange();
  }

  close(): void {
    for (const stream of this.#open.keys()) stream.end();
  }

  /** Those that somebody can tell about, with what ends the watching. */
  #watch(exchange: Exchange, uris: readonly string[], stream: ListenStream): Map<string, () => void> {
    const { principal, provider } = exchange;
    const ends = new Map<string, () => void>();
    for (const uri of uris.slice(0, MAX_URIS)) {
      const end = this.#deps.surfaces.watch({ principal, provider, uri }, () => stream.announceUpdate(uri));
      if (end !== null) ends.set(uri, end);
    }
    return ends;
  }

  /** Those that are this principal's. */
  #watchTasks(mine: Omit<WatchedTask, "id">, ids: readonly string[], stream: ListenStream): Map<string, () => void> {
    const ends = new Map<string, () => void>();
    for (const id of ids.slice(0, MAX_TASKS)) {
      const end = this.#deps.tasks.watch({ ...mine, id }, (members) => stream.announceTask(id, members));
      if (end !== null) ends.set(id, end);
    }
    return ends;
  }

  #forget(stream: ListenStream, owner: string): void {
    this.#open.delete(stream);
    const count = this.#counts.get(owner) ?? 0;
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
  }
}

const needsStream = (): DoorRefusal =>
  doorRefusal("bad_request", {
    status: 406,
    message: "subscriptions/listen answers with an event stream, which this request does not accept.",
    next: "Send Accept: application/json, text/event-stream.",
  });

const longId = (): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    status: 200,
    message: `The id is longer than ${MAX_ID_BYTES} bytes, and every message of the stream would carry it.`,
    next: "Send the request with a shorter id.",
  });

const tooMany = (used: number): DoorRefusal =>
  doorRefusal("rate_limited", {
    message: `${MAX_A_PRINCIPAL} listen streams are open for this principal, which is the limit.`,
    next: `Close one of them, or try again in ${RETRY_S} seconds.`,
    details: { limit: MAX_A_PRINCIPAL, used, retry_after_s: RETRY_S },
    retryAfterMs: RETRY_S * 1000,
    headers: { "Retry-After": String(RETRY_S) },
  });
