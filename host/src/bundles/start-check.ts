/**
 * Asks the install gate about a bundle of which nothing is started yet, so that what may not run is refused from the start
 * and not when somebody first comes. Whatever else goes wrong is for the start of a connection to say.
 */
import { Refusal } from "../kernel/refusal.ts";
import type { PackageFacts } from "./package-facts.ts";
import type { StartGate } from "./start-gate.ts";

export interface StartCheckOptions {
  /** Null: only a connection finds out. */
  readonly check: ((signal: AbortSignal) => Promise<PackageFacts | null>) | null;
  readonly onPassed: (facts: PackageFacts | null) => void;
  readonly onRefused: (refusal: Refusal) => void;
  readonly report: (error: unknown) => void;
}

export class StartCheck {
  readonly #options: StartCheckOptions;
  #ended: Promise<void> | null = null;
  #abort = new AbortController();
  #before: Promise<void> = Promise.resolve();

  constructor(options: StartCheckOptions) {
    this.#options = options;
  }

  /** Resolves when the gate has answered; null: it is not being asked. */
  get ended(): Promise<void> | null {
    return this.#ended;
  }

  /** The gate is not asked before this. */
  follow(gone: Promise<void>): void {
    this.#before = gone;
  }

  begin(gate?: StartGate): void {
    const { check, onPassed, report } = this.#options;
    if (check === null) {
      onPassed(null);
      return;
    }
    this.#abort = new AbortController();
    this.#ended = this.#run(check, gate, this.#abort.signal).catch(report);
  }

  /** Nobody wants to know any more. */
  async abort(): Promise<void> {
    this.#abort.abort();
    await this.#before;
    await this.#ended;
  }

  async #run(
    check: NonNullable<StartCheckOptions["check"]>,
    gate: StartGate | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const act = await this.#ask(check, gate, signal);
    if (this.#abort.signal === signal) this.#ended = null;
    if (!signal.aborted) act();
  }

  async #ask(
    check: NonNullable<StartCheckOptions["check"]>,
    gate: StartGate | undefined,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { onPassed, onRefused } = this.#options;
    await this.#before;
    const leave = await gate?.enter();
    try {
      const facts = signal.aborted ? null : await check(signal);
      return () => onPassed(facts);
    } catch (error) {
      return error instanceof Refusal ? () => onRefused(error) : () => onPassed(null);
    } finally {
      leave?.();
    }
  }
}
