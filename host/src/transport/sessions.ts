/**
 * Legacy sessions. A session belongs to one principal, workspace and endpoint, owns no process, and costs memory only:
 * 100 a principal, 10 000 a host, the longest idle leaves first. For anybody else it does not exist.
 */
import { Roster } from "../kernel/roster.ts";
import { randomBytes } from "node:crypto";
import type { Principal } from "../kernel/principal.ts";
import type { Declared } from "../kernel/ask.ts";
import type { ClientRoots } from "../kernel/roots.ts";
import { LATEST_LEGACY_VERSION } from "./protocol.ts";
import type { Reply } from "./reply.ts";
import { ReplayRing } from "./replay-ring.ts";
import { SessionAsks } from "./session-asks.ts";
import { SessionRoots } from "./session-roots.ts";
import { SessionStreams } from "./session-streams.ts";

const MAX_A_PRINCIPAL = 100;
const MAX_A_HOST = 10_000;
const DEFAULT_LEVEL = "info";

export interface Session {
  readonly id: string;
  readonly owner: string;
  readonly workspace: string;
  readonly provider: string | null;
  readonly version: string;
  /** What its client declared at the handshake. */
  readonly declared: Declared;
  readonly streams: SessionStreams;
  readonly ring: ReplayRing;
  /** Its revision knows events without data. */
  readonly primes: boolean;
  readonly asks: SessionAsks;
  readonly roots: SessionRoots;
  /** Answers that became streams and are not finished, by the number of the stream. */
  readonly replies: Map<number, Reply>;
  /** Resources it wants to hear about, and how to stop. */
  readonly watched: Map<string, () => void>;
  /** Calls in flight with their JSON-RPC ids, for cancelling. */
  readonly calls: Roster<{ readonly id: string | number; readonly call: AbortController }>;
  level: string;
  usedAt: number;
}

const owners = new WeakMap<Principal, string>();

/** Whom a session is bound to, and calls in flight are counted for. Principals do not change, so it is written once. */
export const ownerOf = (principal: Principal): string => {
  const known = owners.get(principal);
  if (known !== undefined) return known;
  const owner = `${principal.id}\n${principal.onBehalfOf ?? ""}\n${principal.workspace}`;
  owners.set(principal, owner);
  return owner;
};

export interface NewSession {
  readonly principal: Principal;
  readonly provider: string | null;
  readonly version: string;
  readonly declared: Declared;
  /** How its client is reached. */
  readonly via: ClientRoots["via"];
  /** What its client hears when lists changed. */
  readonly notices: readonly string[];
}

export interface SessionsOptions {
  readonly idleSeconds: number;
  /** How long a client may take to answer a question. */
  readonly holdSeconds: number;
}

export class Sessions {
  readonly #idleMs: number;
  readonly #holdSeconds: number;
  readonly #all = new Map<string, Session>();
  readonly #byOwner = new Map<string, Set<Session>>();
  readonly #sweep: NodeJS.Timeout;

  constructor({ idleSeconds, holdSeconds }: SessionsOptions) {
    this.#holdSeconds = holdSeconds;
    this.#idleMs = idleSeconds * 1000;
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(this.#idleMs, 60_000)).unref();
  }

  get size(): number {
    return this.#all.size;
  }

  open(order: NewSession): Session {
    const { principal, provider, version, declared, via, notices } = order;
    const owner = ownerOf(principal);
    const owned = this.#byOwner.get(owner) ?? new Set();
    if (owned.size >= MAX_A_PRINCIPAL) this.#endLongestIdle(owned);
    if (this.#all.size >= MAX_A_HOST) this.#endLongestIdle(this.#all.values());
    const onEnd = (): void => {
      session.usedAt = Date.now();
    };
    const ring = new ReplayRing();
    const onReady = (): void => session.roots.ask(streams);
    const streams = new SessionStreams({ ring, notices, onReady, onEnd });
    const asks = new SessionAsks(this.#holdSeconds, (params) => streams.announceCompletion(params));
    const id = randomBytes(16).toString("hex");
    const calls: Session["calls"] = new Roster();
    const session: Session = {
      id,
      owner,
      workspace: principal.workspace,
      provider,
      version,
      declared,
      streams,
      ring,
      primes: version === LATEST_LEGACY_VERSION,
      asks,
      roots: new SessionRoots({ declared, via, asks, streams }),
      replies: new Map(),
      watched: new Map(),
      calls,
      level: DEFAULT_LEVEL,
      usedAt: Date.now(),
    };
    this.#all.set(id, session);
    this.#byOwner.set(owner, owned.add(session));
    return session;
  }

  /** The session if it is this principal's on this endpoint; that it exists for others is not told. */
  find(id: string, principal: Principal, provider: string | null): Session | null {
    const session = this.#all.get(id);
    if (session === undefined || session.provider !== provider || session.owner !== ownerOf(principal)) return null;
    const now = Date.now();
    if (this.#isIdle(session, now)) {
      this.end(session);
      return null;
    }
    session.usedAt = now;
    return session;
  }

  end(session: Session): void {
    if (!this.#all.delete(session.id)) return;
    session.streams.end();
    session.asks.end();
    for (const stop of session.watched.values()) stop();
    session.watched.clear();
    const owned = this.#byOwner.get(session.owner);
    owned?.delete(session);
    if (owned?.size === 0) this.#byOwner.delete(session.owner);
  }

  /** Tells the clients of a workspace that lists are not what they were. */
  announceChange(workspace: string): void {
    for (const session of this.#all.values()) if (session.workspace === workspace) session.streams.announceChange();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#all.values()) this.end(session);
  }

  #isIdle(session: Session, now: number): boolean {
    return now - session.usedAt > this.#idleMs && !isBusy(session);
  }

  #endIdle(): void {
    const now = Date.now();
    for (const session of this.#all.values()) if (this.#isIdle(session, now)) this.end(session);
  }

  #endLongestIdle(sessions: Iterable<Session>): void {
    let longest: Session | null = null;
    for (const session of sessions) if (longest === null || leavesBefore(session, longest)) longest = session;
    if (longest) this.end(longest);
  }
}

const isBusy = (session: Session): boolean => session.calls.size > 0 || session.streams.size > 0;

const leavesBefore = (a: Session, b: Session): boolean => (isBusy(a) === isBusy(b) ? a.usedAt < b.usedAt : isBusy(b));
