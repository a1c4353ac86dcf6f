/**
 * One open conversation with an upstream server, whichever wire and era. Made by a `Connect`, ended once.
 * The supervisor owns it; it owns no process and decides nothing about restarts.
 */
import type { Catalogue, ProviderAnswer, ProviderRequest } from "../kernel/provider.ts";

export interface ConnectionEnd {
  /** One sentence for people: `exited with code 1`, `the server closed its output`, `unreachable: ECONNREFUSED`. */
  readonly reason: string;
  /** The upstream rejected our credential: trying again does not help. */
  readonly authRejected: boolean;
}

export interface Connection {
  readonly era: "legacy" | "modern";
  readonly serverVersion: string | null;
  /** All lists, every page; what the server does not offer is empty. */
  list(signal: AbortSignal): Promise<Catalogue>;
  /** Sends once; see `Provider.send` for what it throws. */
  send(request: ProviderRequest): Promise<ProviderAnswer>;
  /** Rejects when there is no answer within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>;
  inFlight(): number;
  /** Ends it; every call in flight becomes `indeterminate`. */
  close(reason: string): Promise<void>;
  /** Resolves once, however it ended; never rejects. */
  readonly ended: Promise<ConnectionEnd>;
}

export interface ConnectionEvents {
  /** tools, prompts or resources are not what they were: list again. */
  listChanged(): void;
}

/** Limits of one entry. */
export interface ConnectionLimits {
  readonly concurrency: number;
  readonly queue: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxMessageBytes: number;
}

/** A server process with its pipes, seen by the stdio leg. */
export interface ServerProcess {
  readonly stdin: import("node:stream").Writable;
  readonly stdout: import("node:stream").Readable;
  /** Text for the stderr tail that came over stdout: a line that is not JSON. */
  noteOutput(line: string): void;
  /** Resolves with a sentence when the process has ended. */
  readonly exited: Promise<string>;
  /** Closes stdin, waits 2 s, TERM, 3 s, KILL, to the group and to everything marked; done when none is left. */
  stop(): Promise<void>;
}
