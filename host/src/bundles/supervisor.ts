/**
 * Keeps one bundle connected: carries out what `lifecycle.ts` decides. Recovery is driven by events, never by a sweep.
 * It does not know tools or calls beyond handing on what the server lists.
 */
import type { Catalogue } from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RefusalKind } from "../kernel/refusals.ts";
import type { Connection, ConnectionEnd } from "./connection.ts";
import { CredentialRejected } from "./legs/connect-http.ts";
import { advance, newLifecycle, type Lifecycle, type LifecycleEvent, type LifecycleSettings } from "./lifecycle.ts";
import { orAborted } from "./or-aborted.ts";
import { Relisting } from "./relisting.ts";
import type { LocateProgress } from "./located.ts";
import { STOPPED, type Fetching, type OpenSession, type Session } from "./session.ts";
import { StartClock } from "./start-clock.ts";
import type { StartGate } from "./start-gate.ts";
import type { Timing } from "./timing.ts";
import { watchLiveness } from "./watch-liveness.ts";

export interface SupervisorOptions {
  readonly settings: LifecycleSettings;
  /** Why it does not run before anybody starts it. */
  readonly idleReason: string;
  readonly open: OpenSession;
  readonly timing: Timing;
  /** A fresh catalogue, before `running` is announced for the first one of a connection. */
  readonly onListed: (catalogue: Catalogue, connection: Connection) => void;
  /** Takes secrets out of what is said about it. */
  readonly clean: (text: string) => string;
  readonly onUpdated: (uri: string | null) => void;
  readonly onAsksShared: () => void;
  readonly onRefused: (refusal: Refusal) => void;
  readonly onChange: (before: Lifecycle, after: Lifecycle) => void;
  /** Hears of bugs. */
  readonly report: (error: unknown) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  #life: Lifecycle;
  #session: Session | null = null;
  #opening: AbortController | null = null;
  /** Everything begun and not yet cleaned up. Never rejects. */
  #work: Promise<unknown> = Promise.resolve();
  #delay: NodeJS.Timeout | undefined;
  #endWatch: () => void = () => {};
  #stops = 0;
  #fetching: LocateProgress | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#life = newLifecycle(Date.now(), options.idleReason);
  }

  get life(): Lifecycle {
    return this.#life;
  }

  /** How far it is with what its start needs; null: nothing is being fetched. */
  get fetching(): LocateProgress | null {
    return this.#fetching;
  }

  get connection(): Connection | null {
    return this.#session?.connection ?? null;
  }

  /** What it takes the place of is cleaned up like work of its own. */
  follow(gone: Promise<void>): void {
    this.#track(gone);
  }

  /** With a gate the start waits for its turn. */
  start(gate?: StartGate): void {
    const before = this.#life.state;
    this.#apply({ type: "start" });
    if (before !== this.#life.state) this.#launch(gate);
  }

  /** Done when no process of it is left. */
  async stop(reason: string): Promise<void> {
    this.#stops++;
    this.#apply({ type: "stop", reason });
    clearTimeout(this.#delay);
    this.#opening?.abort(STOPPED);
    this.#leave("stop");
    await this.#work;
  }

  async restart(): Promise<void> {
    const stopped = this.stop("being restarted");
    const stops = this.#stops;
    await stopped;
    // Whoever asked for a stop meanwhile, the host's own end included, has the last word.
    if (stops === this.#stops) this.start();
  }

  refuse(refusal: Refusal): void {
    this.#options.onRefused(refusal);
    this.#apply({ type: "refuse", reason: refusal.message });
  }

  #apply(event: LifecycleEvent): void {
    const before = this.#life;
    const { settings, clean } = this.#options;
    const cleaned = "reason" in event ? { ...event, reason: clean(event.reason) } : event;
    this.#life = advance(before, { event: cleaned, at: Date.now() }, settings);
    if (this.#life === before) return;
    if (this.#life.state === "crashed") {
      this.#delay = setTimeout(() => {
        this.#apply({ type: "delay-over" });
        this.#launch();
      }, this.#life.delayMs ?? 0);
    }
    this.#options.onChange(before, this.#life);
  }

  /** One start after the other, and none before the last process is gone. */
  #launch(gate?: StartGate): void {
    this.#track(this.#begin(this.#work, gate));
  }

  async #begin(earlier: Promise<unknown>, gate?: StartGate): Promise<void> {
    await earlier;
    if (!this.#isStarting()) return;
    const opening = new AbortController();
    this.#opening = opening;
    const giveBack = await takePlace(gate, opening.signal);
    try {
      if (this.#isStarting()) await this.#attempt(opening);
    } finally {
      giveBack();
    }
  }

  #isStarting(): boolean {
    return this.#life.state === "starting";
  }

  #track(work: Promise<unknown>): void {
    this.#work = Promise.all([this.#work, work.catch(this.#options.report)]);
  }

  async #attempt(opening: AbortController): Promise<void> {
    const { startTimeoutMs } = this.#options.timing;
    const clock = new StartClock({ limitMs: startTimeoutMs, onLate: (late) => opening.abort(late) });
    const fetching: Fetching = (fetch) =>
      clock.without(() => fetch((progress) => this.#tell(progress))).finally(() => this.#tell(null));
    const relisting = new Relisting(this.#options.timing, this.#options.onListed);
    let session: Session | null = null;
    try {
      const { onUpdated: resourceUpdated, onAsksShared: asksShared, open } = this.#options;
      const events = { listChanged: () => relisting.ask(), resourceUpdated, asksShared };
      session = await open(events, opening.signal, fetching);
      const catalogue = await orAborted(session.connection.list(opening.signal), opening.signal);
      opening.signal.throwIfAborted();
      this.#serve(session, catalogue, relisting);
    } catch (error) {
      const isStopped = opening.signal.reason === STOPPED;
      await session?.end(isStopped ? "stop" : "crash");
      if (!isStopped) this.#failed(error);
    } finally {
      clock.stop();
    }
  }

  /** Who follows it hears of each step, not of each byte. */
  #tell(progress: LocateProgress | null): void {
    const isNews = progress?.message !== this.#fetching?.message;
    this.#fetching = progress;
    if (isNews) this.#options.onChange(this.#life, this.#life);
  }

  #failed(error: unknown): void {
    if (!this.#isStarting()) return;
    if (error instanceof Refusal && GATE_REFUSALS.has(error.kind)) {
      this.refuse(error);
      return;
    }
    const { message } = error as Error;
    this.#apply({ type: "ended", reason: message, authRejected: error instanceof CredentialRejected });
  }

  #serve(session: Session, catalogue: Catalogue, relisting: Relisting): void {
    const { connection } = session;
    const { settings, timing } = this.#options;
    this.#session = session;
    this.#options.onListed(catalogue, connection);
    this.#apply({ type: "ready" });
    const steady = setTimeout(() => this.#apply({ type: "steady" }), settings.resetAfterSeconds * 1000).unref();
    const endLiveness = watchLiveness(connection, timing);
    relisting.begin(connection);
    this.#endWatch = () => {
      clearTimeout(steady);
      endLiveness();
      relisting.end();
    };
    void connection.ended.then((end) => this.#lost(session, end));
  }

  #lost(session: Session, end: ConnectionEnd): void {
    if (this.#session !== session) return;
    this.#leave("crash");
    this.#apply({ type: "ended", reason: end.reason, authRejected: end.authRejected });
  }

  #leave(how: "stop" | "crash"): void {
    const session = this.#session;
    if (session === null) return;
    this.#session = null;
    this.#endWatch();
    this.#track(session.end(how));
  }
}

/** Waits for a place unless the start is called off; returns what gives it back. */
const takePlace = async (gate: StartGate | undefined, signal: AbortSignal): Promise<() => void> => {
  if (gate === undefined) return () => {};
  const place = gate.enter();
  return orAborted(place, signal).catch(() => {
    void place.then((giveBack) => giveBack());
    return () => {};
  });
};

/** What the install gate says; every other failure of a start is a crash. */
const GATE_REFUSALS: ReadonlySet<RefusalKind> = new Set([
  "install_refused",
  "credentials_required",
  "name_taken",
  "needs_auth",
]);
