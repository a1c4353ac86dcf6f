/** What the REST routes work with. */
import type { EventStreams } from "./event-streams.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { InFlight } from "./in-flight.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { Logins } from "./logins.ts";
import type { RunCall } from "./run-call.ts";

export interface RestParts {
  readonly deps: ListenerDeps;
  readonly runCall: RunCall;
  readonly inFlight: InFlight;
  readonly heartbeat: Heartbeat;
  readonly streams: EventStreams;
  readonly logins: Logins;
}
