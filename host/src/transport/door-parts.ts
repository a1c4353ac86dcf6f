/** What the MCP doors share with each other. */
import type { Heartbeat } from "./heartbeat.ts";
import type { HeldCall } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";
import type { InFlight } from "./in-flight.ts";
import type { ListenStreams } from "./listen-streams.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { RunCall } from "./run-call.ts";
import type { SilenceWatch } from "./silence-watch.ts";

export interface DoorParts {
  readonly deps: ListenerDeps;
  /** Where a person decides this approval; null: this host listens nowhere. */
  readonly approvalPage: (id: string, workspace: string) => string | null;
  readonly runCall: RunCall;
  readonly inFlight: InFlight;
  readonly heartbeat: Heartbeat;
  readonly silence: SilenceWatch;
  readonly held: HeldCalls<HeldCall>;
  readonly listens: ListenStreams;
}
