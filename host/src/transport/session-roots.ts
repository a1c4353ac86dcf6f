/**
 * The roots that the client of one legacy session announces. A client that declared that it has some is asked when it is
 * initialised, and again when it says that they changed; from then on what it announced before counts no more. One question
 * is out at a time, and calls that come meanwhile wait for its answer. What the roots are good for is not decided here.
 */
import type { Ask, AskAnswer, Declared } from "../kernel/ask.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { ClientRoots } from "../kernel/roots.ts";
import { clientRootsIn } from "./client-roots.ts";
import type { NoticeSink } from "./notice-sink.ts";
import { isObject } from "./protocol.ts";
import type { SessionAsks } from "./session-asks.ts";
import type { SessionStreams } from "./session-streams.ts";

const WAIT_MS = 5000;
/** A call waits for the answer that is due when it comes, and for one more where that one is outdated. */
const MAX_AWAITED = 2;
const ROOTS_LIST: Ask = { method: "roots/list", params: rawJson("{}"), key: null };
const NONE: Readonly<Record<ClientRoots["via"], ClientRoots>> = {
  stdio: { listed: [], via: "stdio" },
  http: { listed: [], via: "http" },
};

export interface SessionRootsOptions {
  readonly declared: Declared;
  readonly via: ClientRoots["via"];
  readonly asks: SessionAsks;
  readonly streams: SessionStreams;
}

/** Where a question can be put. */
type Askable = Pick<NoticeSink, "ask">;

export class SessionRoots {
  readonly #options: SessionRootsOptions;
  readonly #waiting = new Set<() => void>();
  #current: ClientRoots | null = null;
  #started = false;
  /** A question is to be put; the answer to one that is out is outdated. */
  #due = false;
  #out = false;

  constructor(options: SessionRootsOptions) {
    this.#options = options;
  }

  /** For calls that begin now; null: the client has announced nothing. */
  get current(): ClientRoots | null {
    return this.#current;
  }

  /** True: `current` is about to be another. */
  get pending(): boolean {
    return this.#due || this.#out;
  }

  /** The client is initialised. */
  start(): void {
    if (this.#started || !isObject(this.#options.declared.value["roots"])) return;
    this.#started = true;
    this.#want();
  }

  /** The client says that they changed. */
  change(): void {
    if (!this.#started) return;
    this.#current = NONE[this.#options.via];
    this.#want();
  }

  /** Puts the question there, if one is due; it stays due where nobody can read it. */
  ask(there: Askable): void {
    this.#ask(there, there);
  }

  /** Resolves when no question is out any more, or the call that waits is given up. */
  async settled(signal: AbortSignal): Promise<void> {
    for (let awaited = 0; this.#out && awaited < MAX_AWAITED && !signal.aborted; awaited++) {
      await this.#answered(signal);
    }
  }

  #want(): void {
    this.#due = true;
    this.ask(this.#options.streams);
  }

  /** `next`: where it is put once more if its answer is outdated. */
  #ask(there: Askable, next: Askable): void {
    if (!this.#due || this.#out) return;
    const order = { ask: ROOTS_LIST, waitMs: WAIT_MS, write: (text: string) => there.ask(text) };
    this.#out = this.#options.asks.put(order, (said) => this.#take(said, next));
    this.#due = !this.#out;
  }

  #take(said: AskAnswer, next: Askable): void {
    const { via, streams } = this.#options;
    this.#out = false;
    if (!this.#due && said.kind === "result") this.#current = clientRootsIn(said.json, via) ?? this.#current;
    this.ask(streams);
    // Twice at most on the stream of a call: nobody may be reading that.
    this.#ask(next, streams);
    for (const resume of this.#waiting) resume();
  }

  #answered(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        signal.removeEventListener("abort", resume);
        this.#waiting.delete(resume);
        resolve();
      };
      signal.addEventListener("abort", resume);
      this.#waiting.add(resume);
    });
  }
}
