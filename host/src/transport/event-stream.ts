/**
 * One member's stream of what happens in its workspace. What a slow reader has not taken yet stays in the ring: the stream
 * only remembers where it was, and says `gap` when the ring was faster. A revoked credential ends it, and so does
 * the end of the login that it came with.
 */
import type { ServerResponse } from "node:http";
import type { NumberedEvent } from "../kernel/workspace-event.ts";
import { isStillKnown, type Caller } from "./authenticate.ts";
import { eventFor } from "./event-for.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { namedEvent } from "./named-event.ts";

export interface EventStreamOptions {
  readonly deps: ListenerDeps;
  readonly res: ServerResponse;
  readonly caller: Caller;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  #unfollow: () => void = () => {};
  /** The last event that was written; null: none, and none was asked for. */
  #last: number | null = null;
  /** Some that came were not written, because the reader is slow. */
  #behind = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    options.res.on("drain", () => {
      if (this.#behind) this.follow(this.#last);
    });
  }

  /** From after that event on; null: from now on. */
  follow(after: number | null): void {
    const { deps, res, caller } = this.#options;
    this.#unfollow();
    this.#behind = false;
    this.#last = after;
    // What is kept comes before it is known whether there is a gap before it.
    let kept: NumberedEvent[] | null = [];
    const { gap, end } = deps.events.follow(caller.principal.workspace, after, (event) => {
      if (kept === null) this.#hear(event);
      else kept.push(event);
    });
    this.#unfollow = end;
    if (gap) res.write(namedEvent("gap", JSON.stringify({ after })));
    const missed = kept;
    kept = null;
    for (const event of missed) this.#hear(event);
  }

  beat(timestamp: string): void {
    const { res } = this.#options;
    if (!res.writableNeedDrain && this.#mayHear()) res.write(namedEvent("heartbeat", JSON.stringify({ timestamp })));
  }

  end(): void {
    this.#unfollow();
    this.#unfollow = () => {};
    if (!this.#options.res.writableEnded) this.#options.res.end();
  }

  #hear(event: NumberedEvent): void {
    const { deps, res, caller } = this.#options;
    if (this.#behind || res.writableEnded) return;
    if (res.writableNeedDrain) {
      this.#behind = true;
      this.#last ??= event.id - 1;
      return;
    }
    if (!this.#mayHear()) return;
    this.#last = event.id;
    const shown = eventFor(caller.principal, event, deps);
    if (shown !== null) res.write(namedEvent(shown.type, JSON.stringify(shown.data), event.id));
  }

  #mayHear(): boolean {
    const { deps, caller } = this.#options;
    if (isStillKnown(deps, caller)) return true;
    this.end();
    return false;
  }
}
