/**
 * What the supervisor supervises: an open connection together with whatever must be cleaned up after it.
 */
import type { Connection, ConnectionEvents } from "./connection.ts";
import type { LocateProgress } from "./located.ts";

export interface Session {
  readonly connection: Connection;
  /** `stop`: with all the grace a process has; `crash`: at once. Done when nothing is left. */
  end(how: "stop" | "crash"): Promise<void>;
}

/**
 * Passes the install gate, spawns or dials, and shakes hands. Rejects with a Refusal when the gate says no, otherwise with an
 * Error whose message is fit for people; then everything it made is already cleaned up.
 */
export type OpenSession = (events: ConnectionEvents, signal: AbortSignal, fetching: Fetching) => Promise<Session>;

/** Fetches what a start needs: the time it takes is not the start's, and people hear how far it is. */
export type Fetching = <T>(fetch: (onProgress: (progress: LocateProgress) => void) => Promise<T>) => Promise<T>;

/** The reason with which a supervisor aborts an opening that nobody wants any more. */
export const STOPPED = Symbol("stopped");
