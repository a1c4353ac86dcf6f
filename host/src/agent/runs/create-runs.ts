/**
 * The runs of the whole host: one at a time in a conversation. Those that ended are kept for a while, so that whoever lost the
 * connection still hears how it went; the oldest go first.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { LiveRun, type RunPlace } from "./live-run.ts";
import { cancelledAtStop, hostStops, runInProgress, tooManyRuns, unknownRun } from "./run-refusals.ts";

export type { LiveRun } from "./live-run.ts";

export type ConversationPlace = Pick<RunPlace, "workspace" | "conversationId">;
export type RunViewer = Pick<RunPlace, "workspace" | "owner">;

export interface Runs {
  /** Refusal `run_in_progress`, `rate_limited` or `not_ready`. */
  begin(place: RunPlace): LiveRun;
  /** Refusal `run_in_progress`. `owner`: who asks. */
  checkFree(place: ConversationPlace & Partial<RunViewer>): void;
  /** Refusal `rate_limited` for who has as many going on as one may. */
  checkRoom(owner: RunViewer): void;
  /** Refusal `not_found` for one that there is not, or that is somebody else's. */
  find(id: string, viewer: RunViewer): LiveRun;
  /** The run that goes on in a conversation. */
  active(place: ConversationPlace): LiveRun | null;
  /** Cancels all and resolves when all have ended. No run begins any more. */
  close(): Promise<void>;
}

export interface RunLimits {
  readonly graceMs: number;
  /** How many of one owner may go on. */
  readonly maxLive: number;
  /** Of one run. */
  readonly maxRunBytes: number;
  /** Of those that ended. */
  readonly keepMs: number;
  readonly maxEnded: number;
  readonly maxEndedBytes: number;
}

const MIB = 1_048_576;
const LIMITS: RunLimits = {
  graceMs: 60_000,
  maxLive: 32,
  maxRunBytes: 32 * MIB,
  keepMs: 600_000,
  maxEnded: 200,
  maxEndedBytes: 64 * MIB,
};

/** `limits`: what is otherwise than usual. */
export const createRuns = (limits: Partial<RunLimits> = {}): Runs => new RunBook({ ...LIMITS, ...limits });

interface Ended {
  readonly run: LiveRun;
  readonly bytes: number;
  readonly forgetting: NodeJS.Timeout;
}

class RunBook implements Runs {
  readonly #limits: RunLimits;
  readonly #live = new Map<string, LiveRun>();
  /** By workspace and conversation. */
  readonly #active = new Map<string, LiveRun>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, Ended>();
  #endedBytes = 0;
  #closing = false;

  constructor(limits: RunLimits) {
    this.#limits = limits;
  }

  begin(place: RunPlace): LiveRun {
    if (this.#closing) throw hostStops();
    this.checkFree(place);
    this.checkRoom(place);
    const { graceMs, maxRunBytes } = this.#limits;
    const run = new LiveRun(place, { graceMs, maxBytes: maxRunBytes, onEnd: () => this.#keep(run) });
    this.#live.set(place.id, run);
    this.#active.set(keyOf(place), run);
    return run;
  }

  checkFree(place: ConversationPlace & Partial<RunViewer>): void {
    const going = this.active(place);
    if (going !== null) throw runInProgress(going, place.owner === undefined || place.owner === going.owner);
  }

  checkRoom({ workspace, owner }: RunViewer): void {
    let used = 0;
    for (const run of this.#live.values()) if (run.owner === owner && run.workspace === workspace) used++;
    if (used >= this.#limits.maxLive) throw tooManyRuns(owner, used);
  }

  find(id: string, { workspace, owner }: RunViewer): LiveRun {
    const run = this.#live.get(id) ?? this.#ended.get(id)?.run;
    if (run === undefined || run.workspace !== workspace || run.owner !== owner) throw unknownRun(id);
    return run;
  }

  active(place: ConversationPlace): LiveRun | null {
    return this.#active.get(keyOf(place)) ?? null;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const live = [...this.#live.values()];
    for (const run of live) run.cancel(cancelledAtStop(run.id));
    await Promise.all(live.map(({ result }) => result.catch(passRefusal)));
    for (const id of this.#ended.keys()) this.#forget(id);
  }

  #keep(run: LiveRun): void {
    this.#live.delete(run.id);
    this.#active.delete(keyOf(run));
    const { keepMs, maxEnded, maxEndedBytes } = this.#limits;
    const forgetting = setTimeout(() => this.#forget(run.id), keepMs);
    forgetting.unref();
    this.#ended.set(run.id, { run, bytes: run.bytes, forgetting });
    this.#endedBytes += run.bytes;
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= maxEnded && this.#endedBytes <= maxEndedBytes) return;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    const ended = this.#ended.get(id);
    if (ended === undefined) return;
    clearTimeout(ended.forgetting);
    this.#ended.delete(id);
    this.#endedBytes -= ended.bytes;
  }
}

const keyOf = ({ workspace, conversationId }: ConversationPlace): string => `${workspace}\n${conversationId}`;

/** However it ended, it did. */
const passRefusal = (no: unknown): void => {
  if (!(no instanceof Refusal)) throw no;
};
