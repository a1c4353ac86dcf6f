/**
 * The GET streams of one legacy session. They carry only "your lists changed"; a change that nobody was listening to is
 * kept as a flag until a stream opens. Each notice goes to one stream, the newest.
 */
import type { ServerResponse } from "node:http";
import { EVENT_STREAM_HEADERS, eventFrame } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";

/** More than any client needs; the oldest ends when one more opens. */
const MAX_STREAMS = 8;

export interface SessionStreamsOptions {
  readonly heartbeat: Heartbeat;
  /** The notices to send after a change. */
  readonly notices: readonly string[];
  /** A stream ended: the session was in use until now. */
  readonly onEnd: () => void;
}

export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #open: { readonly res: ServerResponse; readonly mayHear: () => boolean }[] = [];
  #changed = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.length;
  }

  /** `mayHear` is asked before each notice: a revoked credential ends the stream. */
  add(res: ServerResponse, mayHear: () => boolean): void {
    if (this.#open.length >= MAX_STREAMS) this.#open[0]?.res.end();
    const stream = { res, mayHear };
    this.#open.push(stream);
    res.writeHead(200, EVENT_STREAM_HEADERS);
    res.flushHeaders();
    this.#options.heartbeat.add(res);
    res.on("drain", () => this.#flush());
    res.on("close", () => {
      this.#options.heartbeat.remove(res);
      this.#open.splice(this.#open.indexOf(stream), 1);
      this.#options.onEnd();
    });
    this.#flush();
  }

  announceChange(): void {
    this.#changed = true;
    this.#flush();
  }

  end(): void {
    for (const { res } of this.#open) res.end();
  }

  #flush(): void {
    const stream = this.#open.findLast(({ res }) => !res.writableEnded);
    if (!this.#changed || !stream || stream.res.writableNeedDrain) return;
    if (!stream.mayHear()) {
      stream.res.end();
      return;
    }
    this.#changed = false;
    for (const notice of this.#options.notices) stream.res.write(eventFrame(notice));
  }
}
