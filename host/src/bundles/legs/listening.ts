/**
 * What a modern server is to tell of: one `subscriptions/listen` that stays open. When the resources that are wanted change,
 * a new stream is open before the old one is closed, so that nothing falls between them. A stream that ends is opened
 * again; notices may have been missed in between, so that counts as a change of everything.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import type { Opening } from "./handshake.ts";
import { ListenStream } from "./listen-stream.ts";
import { isObject, type JsonObject } from "./read-message.ts";

export interface ListeningOptions {
  readonly correlator: Correlator;
  readonly events: ConnectionEvents;
  readonly opening: Opening;
}

const FIRST_DELAY_MS = 1_000;
const LAST_DELAY_MS = 30_000;
/** A server that does not acknowledge is taken to have heard. */
const ACKNOWLEDGE_MS = 5_000;
const ALL_LISTS = `"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true`;

export class Listening {
  readonly #correlator: Correlator;
  readonly #events: ConnectionEvents;
  readonly #lists: boolean;
  readonly #resources: boolean;
  #wanted: ReadonlySet<string> = new Set();
  #change = Promise.withResolvers<"changed">();
  /** Carries the notices. */
  #open: ListenStream | null = null;
  /** Is to follow it. */
  #next: ListenStream | null = null;
  #missed = false;
  #running = false;

  constructor({ correlator, events, opening }: ListeningOptions) {
    this.#correlator = correlator;
    this.#events = events;
    this.#lists = offers(opening, LISTS, "listChanged");
    this.#resources = offers(opening, ["resources"], "subscribe");
  }

  want(uris: ReadonlySet<string>): void {
    this.#wanted = uris;
    this.#change.resolve("changed");
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  notice(method: string, params: JsonObject): void {
    const about = method === "notifications/cancelled" ? params["requestId"] : subscriptionOf(params);
    const exchange = this.#correlator.find(about);
    const stream = [this.#open, this.#next].find((each) => each?.options === exchange?.options);
    if (!exchange || !stream) return;
    if (method === "notifications/cancelled") this.#correlator.fail(exchange, new Error("the server ended it"));
    else if (method === "notifications/subscriptions/acknowledged") stream.acknowledge(params["notifications"]);
  }

  async #run(): Promise<void> {
    let wait = FIRST_DELAY_MS;
    while (!this.#correlator.over()) {
      this.#change = Promise.withResolvers();
      const changed = this.#change.promise;
      const filter = this.#filter();
      if (filter === null) {
        this.#replace(null);
        await changed;
        continue;
      }
      const since = performance.now();
      const why = await this.#listen(filter, changed);
      if (why === "changed") continue;
      wait = performance.now() - since > LAST_DELAY_MS ? FIRST_DELAY_MS : Math.min(wait * 2, LAST_DELAY_MS);
      await delay(wait, null, { ref: false });
    }
  }

  /** Resolves when there is something to do: another filter, or no stream any more. */
  async #listen(filter: string, changed: Promise<"changed">): Promise<"changed" | "ended"> {
    const next = new ListenStream(this.#correlator, filter);
    this.#next = next;
    const patience = delay(ACKNOWLEDGE_MS, "opened" as const, { ref: false });
    const how = await Promise.race([next.opened, next.over, patience]);
    if (how === "ended") return "ended";
    if (how === "refused") {
      // What is open goes on as it is.
      next.close();
      return this.#open ? Promise.race([changed, this.#open.over.then(() => "ended" as const)]) : changed;
    }
    this.#missed ||= this.#open?.isOver === true;
    this.#replace(next);
    if (this.#missed) {
      this.#events.listChanged();
      this.#events.resourceUpdated(null);
    }
    this.#missed = false;
    const why = await Promise.race([next.over, changed]);
    if (why === "changed") return why;
    this.#missed = true;
    this.#open = null;
    return why === "refused" ? changed : why;
  }

  #replace(next: ListenStream | null): void {
    this.#open?.close();
    this.#open = next;
    this.#next = null;
  }

  /** Null: there is nothing to listen for. */
  #filter(): string | null {
    const uris = this.#resources && this.#wanted.size > 0 ? JSON.stringify([...this.#wanted]) : null;
    if (uris === null) return this.#lists ? ALL_LISTS : null;
    return `${ALL_LISTS},"resourceSubscriptions":${uris}`;
  }
}

const LISTS = ["tools", "prompts", "resources"];

/** A server that did not say what it offers is believed to offer all. */
const offers = ({ capabilities }: Opening, kinds: readonly string[], what: string): boolean =>
  capabilities === null ||
  kinds.some((kind) => {
    const offered = capabilities[kind];
    return isObject(offered) && offered[what] === true;
  });

const subscriptionOf = ({ _meta: meta }: JsonObject): unknown =>
  isObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined;
