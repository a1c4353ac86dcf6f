/** All open streams of `GET /v1/events`: how many each principal has, their heartbeat, and their end. */
import { Refusal } from "../kernel/refusal.ts";
import { EVENT_STREAM_HEADERS } from "./event-frame.ts";
import { EventStream } from "./event-stream.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { RestAsk } from "./rest-route.ts";
import { ownerOf } from "./sessions.ts";

const MAX_A_PRINCIPAL = 32;
const RETRY_S = 5;

export class EventStreams {
  readonly #deps: ListenerDeps;
  readonly #beatMs: number;
  readonly #open = new Set<EventStream>();
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: ListenerDeps, beatMs: number) {
    this.#deps = deps;
    this.#beatMs = beatMs;
  }

  /** Begins the answer, or throws the refusal of it. */
  open({ req, res, caller }: RestAsk): void {
    const after = readLastId(req.headers["last-event-id"]);
    const owner = ownerOf(caller.principal);
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_A_PRINCIPAL) throw tooMany(count);
    res.writeHead(200, EVENT_STREAM_HEADERS);
    res.flushHeaders();
    const stream = new EventStream({ deps: this.#deps, res, caller });
    this.#counts.set(owner, count + 1);
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#beat(), this.#beatMs);
    const end = (): void => stream.end();
    caller.loggedOut?.addEventListener("abort", end, { once: true });
    res.on("close", () => {
      caller.loggedOut?.removeEventListener("abort", end);
      stream.end();
      this.#forget(stream, owner);
    });
    stream.follow(after);
  }

  close(): void {
    for (const stream of this.#open) stream.end();
  }

  #beat(): void {
    const timestamp = new Date().toISOString();
    for (const stream of this.#open) stream.beat(timestamp);
  }

  #forget(stream: EventStream, owner: string): void {
    this.#open.delete(stream);
    const count = this.#counts.get(owner) ?? 0;
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

const readLastId = (header: string | string[] | undefined): number | null => {
  if (header === undefined) return null;
  if (/^\d{1,15}$/.test(String(header))) return Number(header);
  throw new Refusal("bad_request", {
    message: "Last-Event-ID is not the id of an event.",
    next: "Send the id of the last event that you got, or leave the header out.",
  });
};

const tooMany = (used: number): Refusal =>
  new Refusal("rate_limited", {
    message: `${MAX_A_PRINCIPAL} event streams are open for this principal, which is the limit.`,
    next: `Close one of them, or try again in ${RETRY_S} seconds.`,
    details: { limit: MAX_A_PRINCIPAL, used, retry_after_s: RETRY_S },
    retryAfterMs: RETRY_S * 1000,
  });
