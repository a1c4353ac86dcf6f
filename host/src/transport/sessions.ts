/**
 * Legacy sessions. A session belongs to one principal, workspace and endpoint, owns no process, and costs memory only:
 * 100 a principal, 10 000 a host, the longest idle leaves first. For anybody else it does not exist.
 */
import { Roster } from "../kernel/roster.ts";
import { randomBytes } from "node:crypto";
import type { Principal } from "../kernel/principal.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { SessionStreams } from "./session-streams.ts";

const MAX_A_PRINCIPAL = 100;
const MAX_A_HOST = 10_000;
const DEFAULT_LEVEL = "info";

export interface Session {
  readonly id: string;
  readonly owner: string;
  readonly provider: string | null;
  readonly version: string;
  readonly streams: SessionStreams;
  /** Calls in flight with their JSON-RPC ids, for cancelling. */
  readonly calls: Roster<{ readonly id: string | number; readonly call: AbortController }>;
  level: string;
  usedAt: number;
}

/** Whom a session is bound to, and calls in flight are counted for. */
export const ownerOf = (principal: Principal): string =>
  `${principal.id}\n${principal.onBehalfOf ?? ""}\n${principal.workspace}`;

export interface NewSession {
  readonly owner: string;
  readonly provider: string | null;
  readonly version: string;
  /** What its client hears when lists changed. */
  readonly notices: readonly string[];
}

export class Sessions {
  readonly #idleMs: number;
  readonly #heartbeat: Heartbeat;
  readonly #all = new Map<string, Session>();
  readonly #byOwner = new Map<string, Set<Session>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(idleSeconds: number, heartbeat: Heartbeat) {
    this.#heartbeat = heartbeat;
    this.#idleMs = idleSeconds * 1000;
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(this.#idleMs, 60_000)).unref();
  }

  get size(): number {
    return this.#all.size;
  }

  open(order: NewSession): Session {
    const owned = this.#byOwner.get(order.owner) ?? new Set();
    if (owned.size >= MAX_A_PRINCIPAL) this.#endLongestIdle(owned);
    if (this.#all.size >= MAX_A_HOST) this.#endLongestIdle(this.#all.values());
    const { owner, provider, version, notices } = order;
    const onEnd = (): void => {
      session.usedAt = Date.now();
    };
    const streams = new SessionStreams({ heartbeat: this.#heartbeat, notices, onEnd });
    const id = randomBytes(16).toString("hex");
    const calls: Session["calls"] = new Roster();
    const session: Session = {
      id,
      owner,
      provider,
      version,
      streams,
      calls,
      level: DEFAULT_LEVEL,
      usedAt: Date.now(),
    };
    this.#all.set(id, session);
    this.#byOwner.set(order.owner, owned.add(session));
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
    const owned = this.#byOwner.get(session.owner);
    owned?.delete(session);
    if (owned?.size === 0) this.#byOwner.delete(session.owner);
  }

  /** Tells every session's client that lists are not what they were. */
  announceChange(): void {
    for (const session of this.#all.values()) session.streams.announceChange();
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
