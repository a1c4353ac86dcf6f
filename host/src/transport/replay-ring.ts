/**
 * What a legacy session was sent over streams, for a client that lost its connection and names the last event it saw. The
 * newest events stay, up to a number and a size; what fell out of the ring cannot be had again.
 */
const MAX_EVENTS = 256;
const MAX_CHARS = 1_048_576;

export interface SentEvent {
  readonly id: string;
  readonly stream: number;
  readonly text: string;
}

export class ReplayRing {
  #events: SentEvent[] = [];
  #chars = 0;
  #serial = 0;
  #streams = 0;

  /** The number of a new stream; 0 is never given. */
  newStream(): number {
    return ++this.#streams;
  }

  /** An id from which a client can go on before the first event of a stream. */
  mark(stream: number): string {
    return `${stream}-${++this.#serial}`;
  }

  /** The event as it is sent; its id names stream and place. */
  add(stream: number, text: string): SentEvent {
    const event = { id: this.mark(stream), stream, text };
    this.#events.push(event);
    this.#chars += text.length;
    let leaving = 0;
    while (this.#events.length - leaving > MAX_EVENTS || this.#chars > MAX_CHARS) {
      this.#chars -= this.#events[leaving++]?.text.length ?? 0;
    }
    if (leaving > 0) this.#events = this.#events.slice(leaving);
    return event;
  }

  /** What the same stream sent after this event; null when the id is none of ours. */
  after(id: string): { readonly stream: number; readonly events: readonly SentEvent[] } | null {
    const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id);
    if (parts === null) return null;
    const [stream, serial] = [Number(parts[1]), Number(parts[2])];
    if (serial > this.#serial) return null;
    const events = this.#events.filter((event) => event.stream === stream && serialOf(event) > serial);
    return { stream, events };
  }
}

const serialOf = ({ id }: SentEvent): number => Number(id.slice(id.indexOf("-") + 1));
