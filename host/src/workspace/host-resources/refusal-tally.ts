/**
 * Refusals that cost a bundle nothing, which it could have as many of as the wire carries. The first of a kind is recorded at
 * once; those that follow within a minute are counted, answered slowly, and recorded as one with their number: after the
 * minute, or when the bundle stops.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { BundleIdentity } from "../../kernel/host-extension.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ExtensionUse } from "./extension-use.ts";

export interface TallyOptions {
  readonly record: (use: ExtensionUse) => Promise<void>;
  readonly report: (bug: unknown) => void;
  readonly now: () => number;
}

interface Counted {
  /** The newest. */
  use: ExtensionUse;
  unwritten: number;
  readonly until: number;
  readonly timer: NodeJS.Timeout;
}

const WINDOW_MS = 60_000;
/** A connection has four answers under way at once, which makes four hundred a second. */
const PACE_MS = 10;

export class RefusalTally {
  readonly #options: TallyOptions;
  readonly #counted = new Map<string, Counted>();

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  /** Resolves when it may be answered; rejects when it should have been recorded and could not be. */
  async note(use: ExtensionUse): Promise<void> {
    const key = keyOf(use);
    const known = this.#counted.get(key);
    if (known && this.#options.now() < known.until) {
      known.use = use;
      known.unwritten++;
      await sleep(PACE_MS);
      return;
    }
    this.#settle(key);
    const begun = this.#begin(key, use);
    await this.#options.record(use).catch((no: unknown) => {
      begun.unwritten++;
      throw no;
    });
  }

  /** The bundle has stopped. */
  settle({ workspace, provider }: BundleIdentity): void {
    for (const [key, { use }] of this.#counted) {
      if (use.bundle.workspace === workspace && use.bundle.provider === provider) this.#settle(key);
    }
  }

  #begin(key: string, use: ExtensionUse, unwritten = 0): Counted {
    const timer = setTimeout(() => this.#settle(key), WINDOW_MS);
    timer.unref();
    const begun = { use, unwritten, until: this.#options.now() + WINDOW_MS, timer };
    this.#counted.set(key, begun);
    return begun;
  }

  #settle(key: string): void {
    const known = this.#counted.get(key);
    if (known === undefined) return;
    clearTimeout(known.timer);
    this.#counted.delete(key);
    const { use, unwritten } = known;
    if (unwritten === 0) return;
    this.#options.record({ ...use, times: unwritten }).catch((no: unknown) => {
      if (!(no instanceof Refusal)) this.#options.report(no);
      this.#again(key, use, unwritten);
    });
  }

  /** What could not be written now is told with what comes next. */
  #again(key: string, use: ExtensionUse, unwritten: number): void {
    const newer = this.#counted.get(key);
    if (newer) newer.unwritten += unwritten;
    else this.#begin(key, use, unwritten);
  }
}

const keyOf = ({ bundle, code }: ExtensionUse): string => JSON.stringify([bundle.workspace, bundle.provider, code]);
