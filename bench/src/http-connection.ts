/**
 * One keep-alive HTTP/1.1 connection over a raw socket, one request at a time. Opens itself again when the server closed it
 * between two requests.
 */
import { connect, type Socket } from "node:net";
import { type ResponseEvents, ResponseReader } from "./response-reader.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

interface Pending {
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

/** A socket that hands what it reads to `events`; `lost` is called when it closes, for whatever reason. */
export const openSocket = (url: URL, events: ResponseEvents, lost: (reason: string) => void): Socket => {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const reader = new ResponseReader(events);
  let reason = "the server closed the connection";
  socket.on("data", (data: Buffer) => reader.push(data));
  socket.on("error", (error) => (reason = error.message));
  socket.on("close", () => lost(reason));
  return socket;
};

export class HttpConnection {
  readonly #url: URL;
  #socket: Socket | null = null;
  #pending: Pending | null = null;
  #status = 0;
  #headers = "";
  #parts: Buffer[] = [];

  constructor(url: URL) {
    this.#url = url;
  }

  /** `request` is the whole request as it goes onto the wire. */
  send(request: string): Promise<HttpAnswer> {
    const socket = (this.#socket ??= this.#open());
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const events: ResponseEvents = {
      head: (status, headers) => {
        this.#status = status;
        this.#headers = headers;
        this.#parts = [];
      },
      body: (part) => this.#parts.push(part),
      end: () => this.#answer(),
    };
    return openSocket(this.#url, events, (reason) => {
      this.#socket = null;
      this.#pending?.reject(new Error(reason));
      this.#pending = null;
    });
  }

  #answer(): void {
    const [first, ...more] = this.#parts;
    const body = first === undefined ? "" : more.length === 0 ? first : Buffer.concat(this.#parts);
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve({ status: this.#status, headers: this.#headers, body: body.toString() });
  }
}
