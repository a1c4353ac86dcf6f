/**
 * The answer to one POST. No header is written until the first frame decides: the final message first makes it plain JSON,
 * a notice first or a long silence makes it an event stream. Notices to a slow reader are bounded: progress is merged to
 * its latest, logs beyond the bound are dropped and counted; the final message never is.
 */
import type { ServerResponse } from "node:http";
import type { Accepts } from "./read-accept.ts";
import { EVENT_STREAM_HEADERS, eventFrame } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { notificationText } from "./rpc-text.ts";
import type { SilenceWatch, Waiting } from "./silence-watch.ts";
import { sendJson, type JsonAnswer } from "./send-json.ts";

const MAX_QUEUED = 1000;
const MAX_QUEUED_CHARS = 1_048_576;

export interface ReplyOptions {
  readonly accepts: Accepts;
  readonly heartbeat: Heartbeat;
  readonly silence: SilenceWatch;
  /** The caller left before the answer was whole. */
  readonly onLost: (() => void) | null;
}

export class Reply implements Waiting {
  readonly since = Date.now();
  readonly #res: ServerResponse;
  readonly #options: ReplyOptions;
  readonly #place: number;
  #streaming = false;
  #done = false;
  #progress: Map<string, string> | null = null;
  #logs: string[] = [];
  #logChars = 0;
  #dropped = 0;

  constructor(res: ServerResponse, options: ReplyOptions) {
    this.#res = res;
    this.#options = options;
    this.#place = options.accepts.stream ? options.silence.add(this) : -1;
    res.on("close", () => this.#closed());
  }

  /** A progress notice; a later one under the same token replaces it while the reader is slow. */
  progress(token: string, text: string): void {
    if (!this.#mayNotify()) return;
    if (!this.#res.writableNeedDrain) this.#res.write(eventFrame(text));
    else (this.#progress ??= new Map()).set(token, text);
  }

  log(text: string): void {
    if (!this.#mayNotify()) return;
    if (!this.#res.writableNeedDrain) {
      this.#res.write(eventFrame(text));
    } else if (this.#logs.length < MAX_QUEUED && this.#logChars + text.length <= MAX_QUEUED_CHARS) {
      this.#logs.push(text);
      this.#logChars += text.length;
    } else {
      this.#dropped++;
    }
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
    this.#end();
    this.#res.end(eventFrame(answer.text));
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
    this.#options.silence.remove(this.#place);
    this.#res.writeHead(200, EVENT_STREAM_HEADERS);
    this.#res.flushHeaders();
    this.#res.on("drain", () => this.#flush());
    this.#options.heartbeat.add(this.#res);
  }

  #mayNotify(): boolean {
    if (this.#done || !this.#options.accepts.stream) return false;
    this.#startStream();
    return true;
  }

  #flush(): void {
    if (this.#done) return;
    for (const text of this.#logs) this.#res.write(eventFrame(text));
    if (this.#dropped > 0) this.#res.write(eventFrame(droppedText(this.#dropped)));
    for (const text of this.#progress?.values() ?? []) this.#res.write(eventFrame(text));
    this.#logs = [];
    this.#logChars = 0;
    this.#dropped = 0;
    this.#progress = null;
  }

  #closed(): void {
    if (this.#done) return;
    this.#end();
    this.#logs = [];
    this.#progress = null;
    this.#options.onLost?.();
  }

  #end(): void {
    this.#done = true;
    if (this.#streaming) this.#options.heartbeat.remove(this.#res);
    else this.#options.silence.remove(this.#place);
  }
}

const droppedText = (count: number): string =>
  notificationText(
    "notifications/message",
    `"level":"warning","logger":"bailiwick","data":"${count} log messages were dropped because they were read too slowly."`,
  );
