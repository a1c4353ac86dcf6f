/**
 * The streams of one legacy session beside its answers: GET streams, or the one pipe. They carry notices: "your lists
 * changed", "this resource was updated", "a person is done with that page". What nobody was listening to is kept until a
 * stream opens. Questions that belong to no call are put here too, and are not kept. Each goes to one stream, the newest.
 */
import type { RawJson } from "../kernel/raw-json.ts";
import type { MessageStream } from "./message-stream.ts";
import type { ReplayRing, SentEvent } from "./replay-ring.ts";
import { notificationText } from "./rpc-text.ts";

/** More than any client needs; the oldest ends when one more opens. */
const MAX_STREAMS = 8;
/** Of pages that a person is done with, while nobody listens. */
const MAX_COMPLETIONS = 32;
/** All of them count as one, so that a client that lost one may go on with another. */
export const NOTICES_STREAM = 0;

export interface SessionStreamsOptions {
  readonly ring: ReplayRing;
  /** The notices to send after a change of lists. */
  readonly notices: readonly string[];
  /** A stream opened, or its reader caught up: a question can be put. */
  readonly onReady: () => void;
  /** A stream ended: the session was in use until now. */
  readonly onEnd: () => void;
}

export interface NoticesStream {
  readonly stream: MessageStream;
  /** Asked before each notice: a revoked credential ends the stream. */
  readonly mayHear: () => boolean;
  /** What the client missed. */
  readonly missed: readonly SentEvent[];
}

export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #open: NoticesStream[] = [];
  readonly #updated = new Set<string>();
  readonly #completed: RawJson[] = [];
  #changed = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.length;
  }

  add(added: NoticesStream): void {
    const { stream, missed } = added;
    if (this.#open.length >= MAX_STREAMS) this.#open[0]?.stream.end();
    this.#open.push(added);
    stream.onDrain(() => this.#resume());
    stream.onClose(() => {
      this.#open.splice(this.#open.indexOf(added), 1);
      this.#options.onEnd();
    });
    for (const { id, text } of missed) stream.write(text, id);
    this.#resume();
  }

  announceChange(): void {
    this.#changed = true;
    this.#flush();
  }

  /** The URI as the client knows it. */
  announceUpdate(uri: string): void {
    this.#updated.add(uri);
    this.#flush();
  }

  /** The params of the notice. */
  announceCompletion(params: RawJson): void {
    if (this.#completed.length >= MAX_COMPLETIONS) this.#completed.shift();
    this.#completed.push(params);
    this.#flush();
  }

  /** False: nobody would read it now. */
  ask(text: string): boolean {
    const reader = this.#reader();
    if (reader === null) return false;
    this.#write(reader, text);
    return true;
  }

  /** An update of this resource is of no interest any more. */
  forget(uri: string): void {
    this.#updated.delete(uri);
  }

  end(): void {
    // One that is ended may leave the list at once.
    for (const { stream } of this.#open.toReversed()) stream.end();
  }

  #resume(): void {
    this.#flush();
    this.#options.onReady();
  }

  /** The newest stream, where something can be written now. */
  #reader(): MessageStream | null {
    const newest = this.#open.findLast(({ stream }) => !stream.ended);
    if (!newest || newest.stream.slow) return null;
    if (newest.mayHear()) return newest.stream;
    newest.stream.end();
    return null;
  }

  #write(reader: MessageStream, message: string): void {
    const { id, text } = this.#options.ring.add(NOTICES_STREAM, message);
    reader.write(text, id);
  }

  #flush(): void {
    const isQuiet = !this.#changed && this.#updated.size === 0 && this.#completed.length === 0;
    const reader = isQuiet ? null : this.#reader();
    if (reader === null) return;
    const notices = this.#changed ? [...this.#options.notices] : [];
    for (const uri of this.#updated) {
      notices.push(notificationText("notifications/resources/updated", `"uri":${JSON.stringify(uri)}`));
    }
    for (const params of this.#completed.splice(0)) {
      notices.push(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":${params}}`);
    }
    this.#changed = false;
    this.#updated.clear();
    for (const notice of notices) this.#write(reader, notice);
  }
}
