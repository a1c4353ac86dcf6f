/**
 * The answer to one POST. No header is written until the first frame decides: the final message first makes it plain JSON,
 * a notice first or a long silence makes it an event stream. Notices to a slow reader wait in a bounded queue; questions and
 * the final message never do. In a legacy session a stream outlives its connection: what it says goes into the session's
 * ring, and its client may take it up again.
 */
import type { ServerResponse } from "node:http";
import type { Accepts } from "./read-accept.ts";
import { EVENT_STREAM_HEADERS, eventFrame } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { ReplayRing, SentEvent } from "./replay-ring.ts";
import { NoticeQueue } from "./notice-queue.ts";
import type { NoticeSink } from "./notice-sink.ts";
import type { SilenceWatch, Waiting } from "./silence-watch.ts";
import { sendJson, type JsonAnswer } from "./send-json.ts";

export interface ReplyOptions {
  readonly accepts: Accepts;
  readonly heartbeat: Heartbeat;
  readonly silence: SilenceWatch;
  /** The caller left before the answer was whole. */
  readonly onLost: (() => void) | null;
  /** Null: nothing is kept for a client that comes back. */
  readonly session: ReplaySession | null;
}

/** What a session keeps of its streams. */
export interface ReplaySession {
  readonly ring: ReplayRing;
  readonly replies: Map<number, Reply>;
  /** True: its clients know events without data, which only tell where to go on. */
  readonly primes: boolean;
}

export class Reply implements NoticeSink, Waiting {
  readonly since = Date.now();
  #res: ServerResponse;
  readonly #options: ReplyOptions;
  readonly #place: number;
  #streaming = false;
  /** Its number in the session. */
  #stream = 0;
  /** The connection is gone; the ring still takes what comes. */
  #detached = false;
  #done = false;
  #queue: NoticeQueue | null = null;

  constructor(res: ServerResponse, options: ReplyOptions) {
    this.#res = res;
    this.#options = options;
    this.#place = options.accepts.stream ? options.silence.add(this) : -1;
    res.on("close", () => this.#closed(res));
  }

  get takesNotices(): boolean {
    return this.#options.accepts.stream;
  }

  progress(token: string, text: string): void {
    if (!this.#mayNotify()) return;
    if (!this.#isSlow()) this.#write(text);
    else (this.#queue ??= new NoticeQueue()).progress(token, text);
  }

  log(text: string): void {
    if (!this.#mayNotify()) return;
    if (!this.#isSlow()) this.#write(text);
    else (this.#queue ??= new NoticeQueue()).log(text);
  }

  ask(text: string): boolean {
    if (!this.#mayNotify()) return false;
    this.#write(text);
    return true;
  }

  /** Goes on over another connection, after what its client missed. */
  resume(res: ServerResponse, missed: readonly SentEvent[]): void {
    const before = this.#res;
    this.#res = res;
    this.#detached = false;
    before.end();
    this.#open(res);
    for (const { id, text } of missed) res.write(eventFrame(text, id));
    res.on("close", () => this.#closed(res));
  }

  /** The last message. A stream has its status already, so there only the text counts; only a 200 may start one. */
  finish(answer: JsonAnswer): void {
    if (this.#done) return;
    if (!this.#streaming && (this.#options.accepts.json || answer.status !== 200)) {
      this.#end();
      sendJson(this.#res, answer);
      return;
    }
    this.#startStream();
    this.#flush();
    this.#write(answer.text);
    this.#end();
    this.#res.end();
  }

  /** Nothing is owed to the caller: it cancelled. */
  finishEmpty(): void {
    if (this.#done) return;
    this.#end();
    if (!this.#streaming) this.#res.writeHead(202);
    this.#res.end();
  }

  onSilence(): void {
    this.#startStream();
  }

  #startStream(): void {
    if (this.#streaming || this.#done) return;
    this.#streaming = true;
    const { session, silence } = this.#options;
    silence.remove(this.#place);
    this.#open(this.#res);
    if (session === null) return;
    this.#stream = session.ring.newStream();
    session.replies.set(this.#stream, this);
    if (session.primes) this.#res.write(`id: ${session.ring.mark(this.#stream)}\ndata: \n\n`);
  }

  #open(res: ServerResponse): void {
    res.writeHead(200, EVENT_STREAM_HEADERS);
    res.flushHeaders();
    res.on("drain", () => this.#flush());
    this.#options.heartbeat.add(res);
  }

  #isSlow(): boolean {
    return !this.#detached && this.#res.writableNeedDrain;
  }

  #write(text: string): void {
    const { session } = this.#options;
    const id = session?.ring.add(this.#stream, text).id;
    if (!this.#detached) this.#res.write(eventFrame(text, id));
  }

  #mayNotify(): boolean {
    if (this.#done || !this.#options.accepts.stream) return false;
    this.#startStream();
    return true;
  }

  #flush(): void {
    if (this.#done || this.#queue === null) return;
    for (const text of this.#queue.take()) this.#write(text);
  }

  #closed(res: ServerResponse): void {
    if (this.#streaming) this.#options.heartbeat.remove(res);
    if (this.#done || res !== this.#res) return;
    if (this.#streaming && this.#options.session !== null) {
      this.#detached = true;
      this.#flush();
      return;
    }
    this.#end();
    this.#queue = null;
    this.#options.onLost?.();
  }

  #end(): void {
    this.#done = true;
    this.#options.session?.replies.delete(this.#stream);
    if (this.#streaming) this.#options.heartbeat.remove(this.#res);
    else this.#options.silence.remove(this.#place);
  }
}
