/**
 * Reads HTTP/1.1 responses off a socket: the head, then the body by length or by chunks. As little as the load client needs,
 * because the client shares the cores with what it measures.
 */
export interface ResponseEvents {
  /** `headers` is the head's text, lower-cased. */
  head(status: number, headers: string): void;
  body(part: Buffer): void;
  end(): void;
}

type State = "head" | "length" | "chunk-size" | "chunk" | "chunk-end" | "trailer";

const EMPTY = Buffer.alloc(0);

export const headerOf = (headers: string, name: string): string | null => {
  const at = headers.indexOf(`\r\n${name}:`);
  if (at < 0) return null;
  const from = at + name.length + 3;
  const end = headers.indexOf("\r\n", from);
  return headers.slice(from, end < 0 ? undefined : end).trim();
};

export class ResponseReader {
  readonly #events: ResponseEvents;
  #rest: Buffer = EMPTY;
  #state: State = "head";
  #left = 0;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  push(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    while (this.#step()) {
      // Each step takes what it can; false means that more bytes are needed.
    }
  }

  #step(): boolean {
    switch (this.#state) {
      case "head":
        return this.#head();
      case "length":
      case "chunk":
        return this.#bytes();
      case "chunk-size":
        return this.#line((line) => {
          this.#left = Number.parseInt(line, 16);
          this.#state = this.#left === 0 ? "trailer" : "chunk";
        });
      case "chunk-end":
        return this.#line(() => (this.#state = "chunk-size"));
      default:
        return this.#line((line) => {
          if (line === "") this.#end();
        });
    }
  }

  #head(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = this.#rest.toString("latin1", 0, end);
    const headers = head.toLowerCase();
    this.#rest = this.#rest.subarray(end + 4);
    const status = Number(head.slice(9, 12));
    if (headers.includes("\r\ntransfer-encoding: chunked")) {
      this.#state = "chunk-size";
    } else {
      this.#left = Number(headerOf(headers, "content-length") ?? 0);
      this.#state = "length";
    }
    this.#events.head(status, headers);
    if (this.#state === "length" && this.#left === 0) this.#end();
    return this.#rest.length > 0;
  }

  #bytes(): boolean {
    if (this.#rest.length === 0) return false;
    const part = this.#rest.subarray(0, this.#left);
    this.#rest = this.#rest.subarray(part.length);
    this.#left -= part.length;
    this.#events.body(part);
    if (this.#left > 0) return false;
    if (this.#state === "length") this.#end();
    else this.#state = "chunk-end";
    return this.#rest.length > 0;
  }

  #line(take: (line: string) => void): boolean {
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) return false;
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    take(line);
    return this.#rest.length > 0;
  }

  #end(): void {
    this.#state = "head";
    this.#events.end();
  }
}
