/** One request at an MCP endpoint, its front checks passed and its caller known. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Surface, View } from "../kernel/surface.ts";
import type { Caller } from "./authenticate.ts";
import type { Accepts } from "./read-accept.ts";

export interface Exchange extends Caller {
  /** Null on a wire that has none. */
  readonly headers: IncomingHttpHeaders | null;
  readonly provider: string | null;
  /** What the caller may see on this endpoint, given what it declared. */
  readonly surface: (view?: View) => Surface;
}

export interface HttpExchange extends Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly accepts: Accepts;
}
