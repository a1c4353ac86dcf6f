/** One request at an MCP endpoint, its front checks passed and its caller known. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Surface } from "../kernel/surface.ts";
import type { Caller } from "./authenticate.ts";
import type { Accepts } from "./read-accept.ts";

export interface Exchange extends Caller {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly provider: string | null;
  readonly accepts: Accepts;
  /** What the caller may see on this endpoint. */
  readonly surface: () => Surface;
}
