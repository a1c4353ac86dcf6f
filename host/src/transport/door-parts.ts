/** What the MCP doors share with each other. */
import type { Heartbeat } from "./heartbeat.ts";
import type { DoorTimings, ListenerDeps } from "./listener-deps.ts";
import type { RunCall } from "./run-call.ts";

export interface DoorParts {
  readonly deps: ListenerDeps;
  readonly timings: DoorTimings;
  readonly runCall: RunCall;
  readonly heartbeat: Heartbeat;
}
