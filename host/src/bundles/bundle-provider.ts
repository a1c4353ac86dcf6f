/**
 * A bundle as the rest of the host sees it: a provider that keeps its catalogue while it is down. What keeps it up is the
 * supervisor; what sends is the connection.
 */
import type { Acceptance, HeldDefinition } from "../kernel/bundle-admin.ts";
import type { Catalogue, Provider, ProviderAnswer, ProviderRequest, ProviderStatus } from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import { countTools, describeExit, heldWarnings, judgeHealth, type BundleHealth } from "./bundle-health.ts";
import { describeChange, type BundleEvent } from "./bundle-event.ts";
import type { Connection } from "./connection.ts";
import type { DefinitionsFile } from "./definitions-file.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import type { Lifecycle, LifecycleSettings } from "./lifecycle.ts";
import type { OutputTail } from "./output-tail.ts";
import type { PackageFacts } from "./package-facts.ts";
import { chooseHeld } from "./pinning/choose-held.ts";
import { PinnedCatalogue } from "./pinning/pinned-catalogue.ts";
import type { Pins } from "./pinning/pins.ts";
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
  /** Shared by all connections of its entry. */
  readonly pins: Pins;
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
  readonly unpinned: boolean;
  readonly pinned: PinnedCatalogue;
  readonly #options: BundleProviderOptions;
  readonly #supervisor: Supervisor;
  readonly #waiting = new Set<() => void>();
  readonly #watched = new WatchedResources({ onChange: (uris) => this.#supervisor.connection?.watch(uris) });
  #refusal: Refusal | null = null;
  /** Null for a server elsewhere, and until it was first started. */
  #facts: PackageFacts | null = null;
  #version: string | null = null;
  #timeoutsInARow = 0;
  /** As its last connection had it; until the first one nobody knows. */
  #watches = true;

  constructor(options: BundleProviderOptions) {
    this.name = options.name;
    this.#options = options;
    this.unpinned = options.pins.isOpen;
    this.pinned = new PinnedCatalogue(options.pins);
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
    await this.#options.pins.read();
    const known = await this.#options.definitions.read();
    if (known === null) return;
    this.pinned.recall(known);
    this.#version = known.version;
  }

  /** What its package says about itself. */
  describe(facts: PackageFacts): void {
    this.#facts = facts;
    this.#version = facts.version;
    this.#options.pins.cameFrom(facts.digest);
  }

  facts(): PackageFacts | null {
    return this.#facts;
  }

  /** Of one that is not installed any more: whoever gets its name starts with nothing. */
  async forget(): Promise<void> {
    await Promise.all([this.#options.definitions.forget(), this.#options.pins.forget()]);
  }

  follow(gone: Promise<void>): void {
    this.#supervisor.follow(gone);
  }

  start(gate?: StartGate): void {
    this.#supervisor.start(gate);
  }

  async stop(reason: string): Promise<void> {
    await this.#supervisor.stop(reason);
    await this.#options.definitions.settled();
    await this.#options.pins.settled();
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
      fetching: this.#supervisor.fetching,
      now: Date.now(),
    });
  }

  catalogue(): Catalogue {
    return this.pinned.shown;
  }

  health(): BundleHealth {
    const { life } = this.#supervisor;
    const { reason, next } = this.status();
    const heldTools = countTools(this.pinned.held);
    return {
      name: this.name,
      state: life.state,
      health: judgeHealth(life.state, { timeoutsInARow: this.#timeoutsInARow, heldTools }),
      reason,
      next,
      since: life.since,
      uptimeMs: life.state === "running" ? Date.now() - life.since : 0,
      restartsInWindow: life.crashes.length,
      lastExit: describeExit(life.lastExit),
      lastError: life.lastError,
      toolCount: this.catalogue().tools.length,
      heldTools,
      version: this.#version,
      trustScore: this.#options.trustScore,
      warnings: [
        ...(this.#facts?.warnings ?? []),
        ...this.catalogue().defects,
        ...heldWarnings(this.name, this.#options.pins, this.held()),
      ],
    };
  }

  /** What nobody has accepted yet, of what the server now lists. */
  held(): readonly HeldDefinition[] {
    return this.pinned.held;
  }

  accept(yes: Acceptance): readonly HeldDefinition[] {
    const items = chooseHeld(this.name, this.pinned.held, yes);
    this.pinned.accept(items);
    this.#options.onChange(this.name);
    return items;
  }

  expectNewSet(): void {
    this.#options.pins.expectNewSet();
  }

  /** The last lines it wrote, oldest first. */
  output(): readonly string[] {
    return this.#options.tail.lines();
  }

  refusal(): Refusal | null {
    return this.#refusal;
  }

  inFlight(): number {
    return this.#supervisor.connection?.inFlight() ?? 0;
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
    this.#version = this.#facts?.version ?? connection.serverVersion;
    const listing = { catalogue, version: this.#version };
    this.pinned.list(listing);
    this.#saving(this.#options.definitions.save(listing));
    // A first listing is announced together with `running`.
    if (this.#supervisor.life.state === "running") this.#options.onChange(this.name);
  }

  #saving(saving: Promise<void>): void {
    saving.catch((error: Error) => {
      this.#options.log({
        type: "bundle.definitions_unsaved",
        name: this.name,
        message: `the tools of ${this.name} could not be kept for the next boot: ${error.message}`,
        data: { name: this.name },
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
    const event = describeChange({ name: this.name, version: this.#version, facts: this.#facts }, before, after);
    if (event !== null) this.#options.log(event);
    this.#options.onChange(this.name);
  }
}

const READY = Promise.resolve(true);
const NOT_READY = Promise.resolve(false);
const MAY_COME_UP: ReadonlySet<string> = new Set(["starting", "crashed"]);

const isTimeout = (error: unknown): boolean =>
  error instanceof Refusal && (error.kind === "timed_out" || error.details["error"] === "timeout");
