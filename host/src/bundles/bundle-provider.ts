/**
 * A bundle as the rest of the host sees it: a provider that keeps its catalogue while it is down. What keeps it up is the
 * supervisor; what sends is the connection.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import { judgeHealth, type BundleHealth } from "./bundle-health.ts";
import { describeChange, type BundleEvent } from "./bundle-event.ts";
import type { Connection } from "./connection.ts";
import type { DefinitionsFile } from "./definitions-file.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import type { Lifecycle, LifecycleSettings } from "./lifecycle.ts";
import type { OutputTail } from "./output-tail.ts";
import { providerStatus } from "./provider-status.ts";
import type { Redaction } from "./redaction.ts";
import type { OpenSession } from "./session.ts";
import type { StartGate } from "./start-gate.ts";
import { Supervisor } from "./supervisor.ts";
import type { Timing } from "./timing.ts";
import { WatchedResources } from "./watched-resources.ts";

export interface BundleProviderOptions {
  readonly name: string;
  readonly settings: LifecycleSettings;
  readonly idleReason: string;
  readonly timing: Timing;
  readonly open: OpenSession;
  readonly definitions: DefinitionsFile;
  readonly eras: EraVerdicts;
  /** What its process wrote for people; stays empty for a server elsewhere. */
  readonly tail: OutputTail;
  readonly redaction: Redaction;
  readonly trustScore: number | null;
  /** Catalogue or status is not what it was. */
  readonly onChange: (name: string) => void;
  readonly log: (event: BundleEvent) => void;
  readonly report: (error: unknown) => void;
}

export class BundleProvider implements Provider {
  readonly name: string;
  readonly #options: BundleProviderOptions;
  readonly #supervisor: Supervisor;
  readonly #waiting = new Set<() => void>();
  readonly #watched = new WatchedResources({ onChange: (uris) => this.#supervisor.connection?.watch(uris) });
  #catalogue: Catalogue = EMPTY_CATALOGUE;
  #refusal: Refusal | null = null;
  /** Of the package; null for a server elsewhere. */
  #packageVersion: string | null = null;
  #version: string | null = null;
  #warnings: readonly string[] = [];
  #timeoutsInARow = 0;
  /** As its last connection had it; until the first one nobody knows. */
  #watches = true;

  constructor(options: BundleProviderOptions) {
    this.name = options.name;
    this.#options = options;
    this.#supervisor = new Supervisor({
      settings: options.settings,
      idleReason: options.idleReason,
      open: options.open,
      timing: options.timing,
      report: options.report,
      onListed: (catalogue, connection) => this.#listed(catalogue, connection),
      onUpdated: (uri) => this.#watched.updated(uri),
      onAsksShared: () => this.#saving(options.definitions.markAsks()),
      clean: (text) => options.redaction.clean(text),
      onRefused: (refusal) => {
        this.#refusal = options.redaction.cleanRefusal(refusal);
      },
      onChange: (before, after) => this.#changed(before, after),
    });
  }

  /** What was known when the host last ran. */
  async recall(): Promise<void> {
    const known = await this.#options.definitions.read();
    if (known === null) return;
    this.#catalogue = known.catalogue;
    this.#version = known.version;
  }

  /** What its package says about itself. */
  describe(facts: { readonly version: string; readonly warnings: readonly string[] }): void {
    this.#packageVersion = facts.version;
    this.#version = facts.version;
    this.#warnings = facts.warnings;
  }

  start(gate?: StartGate): void {
    this.#supervisor.start(gate);
  }

  async stop(reason: string): Promise<void> {
    await this.#supervisor.stop(reason);
    await this.#options.definitions.settled();
    await this.#options.eras.settled();
  }

  restart(): Promise<void> {
    return this.#supervisor.restart();
  }

  refuse(refusal: Refusal): void {
    this.#supervisor.refuse(refusal);
  }

  status(): ProviderStatus {
    return providerStatus({
      name: this.name,
      life: this.#supervisor.life,
      refusal: this.#refusal,
      version: this.#version,
      now: Date.now(),
    });
  }

  catalogue(): Catalogue {
    return this.#catalogue;
  }

  health(): BundleHealth {
    const { life } = this.#supervisor;
    const { reason, next } = this.status();
    return {
      name: this.name,
      state: life.state,
      health: judgeHealth(life.state, this.#timeoutsInARow),
      reason,
      next,
      since: life.since,
      uptimeMs: life.state === "running" ? Date.now() - life.since : 0,
      restartsInWindow: life.crashes.length,
      lastError: life.lastError,
      toolCount: this.#catalogue.tools.length,
      heldTools: 0,
      version: this.#version,
      trustScore: this.#options.trustScore,
      warnings: [...this.#warnings, ...this.#catalogue.defects],
    };
  }

  /** The last lines it wrote, oldest first. */
  output(): readonly string[] {
    return this.#options.tail.lines();
  }

  whenReady(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const { state } = this.#supervisor.life;
    if (state === "running") return READY;
    if (!MAY_COME_UP.has(state) || waitMs <= 0 || signal.aborted) return NOT_READY;
    return new Promise((resolve) => {
      const done = (ready: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(look);
        resolve(ready);
      };
      const onAbort = (): void => done(false);
      const look = (): void => {
        const now = this.#supervisor.life.state;
        if (now === "running") done(true);
        else if (!MAY_COME_UP.has(now)) done(false);
      };
      const timer = setTimeout(done, waitMs, false);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(look);
    });
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const { connection } = this.#supervisor;
    if (connection === null) throw this.#notReady();
    try {
      const answer = await connection.send(request);
      this.#timeoutsInARow = 0;
      return answer;
    } catch (error) {
      if (isTimeout(error)) this.#timeoutsInARow++;
      throw error instanceof Refusal ? this.#options.redaction.cleanRefusal(error) : error;
    }
  }

  watch(uri: string, updated: () => void): (() => void) | false {
    return this.#watches && (this.#watched.watch(uri, updated) ?? false);
  }

  #notReady(): Refusal {
    const status = this.status();
    return new Refusal("not_ready", {
      message: status.reason ?? `${this.name} is not connected.`,
      next: status.next ?? "Try again in a moment.",
      details: { state: status.state },
      ...(status.retryAfterMs === null ? {} : { retryAfterMs: status.retryAfterMs }),
    });
  }

  #listed(catalogue: Catalogue, connection: Connection): void {
    this.#catalogue = catalogue;
    this.#version = this.#packageVersion ?? connection.serverVersion;
    this.#saving(this.#options.definitions.save({ catalogue, version: this.#version }));
    // A first listing is announced together with `running`.
    if (this.#supervisor.life.state === "running") this.#options.onChange(this.name);
  }

  #saving(saving: Promise<void>): void {
    saving.catch((error: Error) => {
      this.#options.log({
        type: "bundle.definitions_unsaved",
        name: this.name,
        message: `the tools of ${this.name} could not be kept for the next boot: ${error.message}`,
      });
    });
  }

  /** What is watched is asked for anew, and may have changed while nobody told of it. */
  #connected(): void {
    const { connection } = this.#supervisor;
    this.#timeoutsInARow = 0;
    this.#watches = connection?.watches() ?? true;
    connection?.watch(this.#watched.uris);
    this.#watched.updated(null);
  }

  #changed(before: Lifecycle, after: Lifecycle): void {
    if (after.state !== "refused") this.#refusal = null;
    if (after.state === "running" && before.state !== "running") this.#connected();
    for (const look of this.#waiting) look();
    const event = describeChange(this.name, before, after);
    if (event !== null) this.#options.log(event);
    this.#options.onChange(this.name);
  }
}

const READY = Promise.resolve(true);
const NOT_READY = Promise.resolve(false);
const MAY_COME_UP: ReadonlySet<string> = new Set(["starting", "crashed"]);

const isTimeout = (error: unknown): boolean =>
  error instanceof Refusal && (error.kind === "timed_out" || error.details["error"] === "timeout");
