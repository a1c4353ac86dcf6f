/**
 * One open conversation with an upstream server, whichever wire and era. Made by a `Connect`, ended once.
 * The supervisor owns it; it owns no process and decides nothing about restarts.
 */
import type { Catalogue, ProviderAnswer, ProviderRequest } from "../kernel/provider.ts";
import type { RawJson } from "../kernel/raw-json.ts";

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
  /** Whether it can tell that a resource is not what it was. */
  watches(): boolean;
  /**
   * The resources that are watched from now on; `resourceUpdated` tells of them. The set may go on changing: then this is
   * called again.
   */
  watch(uris: ReadonlySet<string>): void;
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
  /** A resource is not what it was, or one below it; null: any of those watched may not be. */
  resourceUpdated(uri: string | null): void;
  /**
   * A question came that may be one of several callers', and was refused. From now on this connection runs its calls one
   * at a time; the next one should do so from the start (`ConnectionLimits.oneAtATime`).
   */
  asksShared?(): void;
  /** The host's own answer to `roots/list`, for a server that asks beside all calls; no roots when absent. */
  hostRoots?(): RawJson;
}

/** Limits of one entry. */
export interface ConnectionLimits {
  readonly concurrency: number;
  readonly queue: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** True: this server asks its callers, so calls that are not parked run one at a time. Read once, at the opening. */
  readonly oneAtATime?: () => boolean;
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
