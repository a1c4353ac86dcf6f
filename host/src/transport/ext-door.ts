/**
 * `POST /ext/host-resources`: the host's extension for servers of the modern era that cannot ask by their results. The
 * bundle is known by the token that the host handed it, and by nothing else: no key and no session counts here. Host and
 * Origin were checked by the listener.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import { Refusal } from "../kernel/refusal.ts";
import { present } from "./authenticate.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { JsonObject } from "./protocol.ts";
import { readRestBody } from "./read-rest-body.ts";
import { requestIdOf } from "./request-id-of.ts";
import { refusalText, replyText } from "./rpc-text.ts";
import { sendJson } from "./send-json.ts";

type Served = Pick<ExtensionPort, "serve">;

export type ExtensionDoorDeps = Pick<ListenerDeps, "extensions" | "rejected">;

interface ExtensionRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly route: { readonly path: string };
}

/** False: it is none of its. */
export type ExtensionDoor = (request: ExtensionRequest) => Promise<boolean>;

const PATH = "/ext/host-resources";
/** Answers of one bundle that are under way; each may hold a whole file until it is read. */
const AT_ONCE = 4;

export const createExtensionDoor = (deps: ExtensionDoorDeps): ExtensionDoor => {
  const places = new WeakMap<Served, Places>();

  const find = (req: IncomingMessage): Served | DoorRefusal => {
    const presented = present(req.headers.authorization);
    const found = presented.kind === "bearer" ? deps.extensions.find(presented.token) : null;
    if (found) return found;
    deps.rejected(req.socket.remoteAddress ?? "unknown");
    return unknownToken();
  };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<DoorRefusal | null> => {
    const known = find(req);
    if ("refusal" in known) return known;
    const { value } = await readRestBody(req);
    const request = readRequest(value);
    if ("refusal" in request) return request;
    const place = places.get(known) ?? new Places(AT_ONCE);
    places.set(known, place);
    await place.take();
    try {
      // It may have been revoked while the request was read or waited.
      const port = find(req);
      if ("refusal" in port) return port;
      const { kind, json } = await port.serve(request.method, request.params);
      sendJson(res, { status: 200, text: replyText(request.id, { member: kind, json }) });
      if (!res.closed) await once(res, "close").catch(() => null);
      return null;
    } finally {
      place.leave();
    }
  };

  return async ({ req, res, route }) => {
    if (req.method !== "POST" || route.path !== PATH) return false;
    const refusal = await answer(req, res).catch(toDoorRefusal);
    if (refusal) {
      sendJson(res, { status: refusal.status, text: refusalText(null, refusal), headers: refusal.headers });
    }
    return true;
  };
};

class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

interface RpcRequest {
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
}

const readRequest = (value: JsonObject): RpcRequest | DoorRefusal => {
  const { jsonrpc, method, params } = value;
  const id = requestIdOf(value);
  if (jsonrpc === "2.0" && typeof method === "string" && id !== null) return { id, method, params };
  return doorRefusal("bad_request", {
    message: "The body is not a JSON-RPC request.",
    next: 'Send {"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list","params":{}}.',
  });
};

const unknownToken = (): DoorRefusal =>
  doorRefusal("unauthenticated", {
    message: "This token is not known here, has expired, or its bundle was stopped.",
    next: 'Take the one in _meta["ai.nimblebrain/host-resources"] of the newest request.',
    headers: { "WWW-Authenticate": "Bearer" },
  });

const toDoorRefusal = (error: unknown): DoorRefusal => {
  if (!(error instanceof Refusal)) throw error;
  const { kind, message, next, details } = error;
  return doorRefusal(kind, { message, next, details });
};
