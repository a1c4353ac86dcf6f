/**
 * Requests to one endpoint with the headers that belong to them, and the legacy session's id. It interprets no answers.
 */
import type { ParamHeader } from "../../kernel/param-headers.ts";
import type { Exchange } from "./exchange.ts";
import type { Dialect } from "./frame.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "./http-client.ts";
import { isReset } from "./http-failure.ts";
import { headersFor } from "./http-headers.ts";
import { paramHeaders } from "./param-headers.ts";

const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
const ONLY_ASKS = /^server\/discover$|^ping$|\/list$/;
const FAREWELL_MS = 1_000;

export class HttpSession {
  readonly #client: HttpClient;
  readonly #dialect: () => Dialect;
  id: string | null = null;
  /** What a modern server's tools want in headers, by tool. */
  paramHeaders: ReadonlyMap<string, readonly ParamHeader[]> = new Map();

  constructor(client: HttpClient, dialect: () => Dialect) {
    this.#client = client;
    this.#dialect = dialect;
  }

  /** `exchange` is null for notifications and answers. */
  async post(text: string, exchange: Exchange | null, signal: AbortSignal): Promise<HttpResponse> {
    const headers = headersFor({ dialect: this.#dialect(), sessionId: this.id, exchange });
    const declared = exchange?.options.name ? this.paramHeaders.get(exchange.options.name) : undefined;
    if (declared && exchange?.options.method === "tools/call") {
      Object.assign(headers, paramHeaders(declared, exchange.options.params));
    }
    const request: HttpRequest = { method: "POST", headers, body: text, signal, sending: exchange };
    const sent = this.#client.request(request);
    const response = await (exchange?.options.control ? sent.catch(this.#repeat(exchange, request)) : sent);
    const id = response.headers["mcp-session-id"];
    if (exchange?.options.method === "initialize" && typeof id === "string" && SESSION_ID.test(id)) this.id = id;
    return response;
  }

  /** A server may close a socket that was idle just as it is used again. What only asks may be asked once more. */
  #repeat({ options }: Exchange, request: HttpRequest): (failure: unknown) => Promise<HttpResponse> {
    return (failure) => {
      const isSafe = ONLY_ASKS.test(options.method) && isReset(failure) && !request.signal.aborted;
      return isSafe ? this.#client.request(request) : Promise.reject(failure);
    };
  }

  get(lastEventId: string | null, signal: AbortSignal): Promise<HttpResponse> {
    const { "content-type": _type, ...headers } = headersFor({
      dialect: this.#dialect(),
      sessionId: this.id,
      exchange: null,
    });
    headers["accept"] = "text/event-stream";
    if (lastEventId !== null) headers["last-event-id"] = lastEventId;
    return this.#client.request({ method: "GET", headers, body: null, signal, sending: null });
  }

  /** Tells the server that the session is over, and closes all sockets. */
  async close(): Promise<void> {
    if (this.id !== null) {
      const headers = headersFor({ dialect: this.#dialect(), sessionId: this.id, exchange: null });
      const signal = AbortSignal.timeout(FAREWELL_MS);
      const farewell = this.#client.request({ method: "DELETE", headers, body: null, signal, sending: null });
      await farewell.then((response) => response.body.resume()).catch(() => null);
    }
    await this.#client.close();
  }
}
