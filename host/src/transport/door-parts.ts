/** What the MCP doors share with each other. */
import type { Heartbeat } from "./heartbeat.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { RunCall } from "./run-call.ts";
import type { SilenceWatch } from "./silence-watch.ts";

export interface DoorParts {
  readonly deps: ListenerDeps;
  readonly runCall: RunCall;
  readonly heartbeat: Heartbeat;
  readonly silence: SilenceWatch;
}
