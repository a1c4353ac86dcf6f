/** What the parts of the CHP door work with, and one request at it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../authenticate.ts";
import type { CallCounts } from "../call-counts.ts";
import type { DoorRefusal } from "../door-refusal.ts";
import type { Heartbeat } from "../heartbeat.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import type { RunCall } from "../run-call.ts";
import type { JsonAnswer } from "../send-json.ts";

export interface ChpParts {
  readonly deps: ListenerDeps;
  readonly runCall: RunCall;
  readonly heartbeat: Heartbeat;
  readonly counts: CallCounts;
  /** Where the door stands on its listener, for links: `/chp`, or nothing. */
  readonly base: string;
}

export interface ChpRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Below the mount, from its slash on. */
  readonly path: string;
  /** What stands after the question mark. */
  readonly query: string;
  readonly refusal: DoorRefusal | null;
  /** An origin that may use MCP from its pages, and nothing else. */
  readonly foreign: string | null;
}

export interface ChpAsk {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** What stands in the path after the route's own words. */
  readonly argument: string;
}

export interface ChpRoute {
  /** Null: it has written its answer itself. A "no" is thrown. */
  readonly run: (ask: ChpAsk) => JsonAnswer | null | Promise<JsonAnswer | null>;
}

/** By method and path; one that ends in a slash has an argument there. */
export type ChpRoutes = ReadonlyMap<string, ChpRoute>;
