/** One REST route: what it is asked and what it answers. A handler throws its refusal. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "./authenticate.ts";
import type { JsonAnswer } from "./send-json.ts";

export interface RestAsk {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** The segment of the path that the route has a `*` for; empty where it has none. */
  readonly argument: string;
  /** What stands where the route has a `**`; empty where it has none. */
  readonly rest: string;
}

export interface RestRoute {
  /** Null: it has written its answer itself. */
  readonly run: (ask: RestAsk) => JsonAnswer | null | Promise<JsonAnswer | null>;
  /** The answer to who shows no credential; absent: there is none. */
  readonly open?: (req: IncomingMessage) => JsonAnswer | Promise<JsonAnswer>;
}

/** By method and path, one segment of which may be a `*`: `DELETE /v1/keys/*`. A fifth one that is `**` is all the rest. */
export type RestRoutes = ReadonlyMap<string, RestRoute>;

export const ok = (value: unknown, status = 200): JsonAnswer => ({ status, text: JSON.stringify(value) });
