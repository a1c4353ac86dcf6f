/**
 * A bundle to which each principal has a connection or process of its own, perhaps with an account. What it lists is known
 * to all, but for resources, which may be somebody's own; what it answers is not. Nothing is opened before somebody comes,
 * but what the gate refuses is refused from the start.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderStatus,
} from "../kernel/provider.ts";
import type { Acceptance, HeldDefinition } from "../kernel/bundle-admin.ts";
import { HostError } from "../kernel/host-error.ts";
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { Bundle } from "./bundle.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { BundleHealth } from "./bundle-health.ts";
import type { IsolatedBundleOptions } from "./isolated-bundle-options.ts";
import { isolatedHealth } from "./isolated-health.ts";
import { blockedStatus, idleStatus, type IsolatedLife } from "./isolated-status.ts";
import { LearnedCatalogue } from "./pinning/learned-catalogue.ts";
import type { PackageFacts } from "./package-facts.ts";
import { PrincipalSeats, type Seat } from "./principal-seats.ts";
import { PrincipalView, refusedBy } from "./principal-view.ts";
import { StartCheck } from "./start-check.ts";
import type { StartGate } from "./start-gate.ts";

const EVERYBODY = "everybody";

export class IsolatedBundle implements Bundle {
  readonly name: string;
  readonly unpinned: boolean;
  readonly #options: IsolatedBundleOptions;
  readonly #seats: PrincipalSeats;
  readonly #learned: LearnedCatalogue;
  readonly #check: StartCheck;
  #version: string | null = null;
  #facts: PackageFacts | null = null;
  #refusal: Refusal | null = null;
  /** Why it is stopped; null: it runs. */
  #stopped: string | null;
  #since = Date.now();
  #stops = 0;
  #hasOwners: boolean;
  /** Somebody was connected to find out what there is. */
  #introduced = false;

  constructor(options: IsolatedBundleOptions) {
    this.name = options.name;
    this.unpinned = options.pins.isOpen;
    this.#options = options;
    this.#stopped = options.idleReason;
    this.#hasOwners = options.accounts === null;
    this.#seats = new PrincipalSeats(options);
    this.#check = new StartCheck({
      ...options,
      onPassed: (facts) => this.#begin(facts),
      onRefused: (refusal) => this.refuse(refusal),
    });
    this.#learned = new LearnedCatalogue({
      ...options,
      all: () => this.#seats.all().map(({ provider }) => provider.pinned),
    });
  }

  async recall(): Promise<void> {
    this.#version = await this.#learned.recall();
  }

  follow(gone: Promise<void>): void {
    this.#check.follow(gone);
  }

  start(gate?: StartGate): void {
    if (this.#stopped === null && this.#refusal === null) {
      for (const { view } of this.#seats.all()) view.revive();
      return;
    }
    this.#stopped = null;
    this.#refusal = null;
    this.#introduced = false;
    this.#since = Date.now();
    this.#check.begin(gate);
    this.#options.onChange(this.name);
  }

  async stop(reason: string): Promise<void> {
    this.#stops++;
    if (this.#stopped === null && this.#refusal === null)
      this.#tell("bundle.stopped", `${this.name} stopped: ${reason}`);
    this.#stopped ??= reason;
    this.#since = Date.now();
    await this.#check.abort();
    await this.#seats.rest(reason);
    await this.#learned.settled();
    this.#options.onChange(this.name);
  }

  async restart(): Promise<void> {
    const stopped = this.stop("being restarted");
    const stops = this.#stops;
    await stopped;
    // Whoever asked for a stop meanwhile has the last word.
    if (stops === this.#stops) this.start();
  }

  refuse(refusal: Refusal): void {
    this.#refusal = this.#options.redaction.cleanRefusal(refusal);
    this.#tell("bundle.refused", this.#refusal.message);
    this.#since = Date.now();
    this.#options.onChange(this.name);
  }

  /** Its account was connected a moment ago. */
  welcome(owner: string): void {
    this.#hasOwners = true;
    const { view } = this.#seat(owner);
    if (this.#blocked() === null && !view.isOpen() && this.#seats.hasRoom()) view.wake();
    this.#options.onChange(this.name);
  }

  of(principal: Principal): Provider {
    const name = principalName(principal);
    const { accounts, shared } = this.#options;
    const { view } = this.#seat(accounts?.ownerFor(name) ?? (shared ? EVERYBODY : name));
    if (!this.#introduced) this.#introduce(view);
    return view;
  }

  /** Nobody's in particular: what the operator sees. */
  status(): ProviderStatus {
    const blocked = this.#blocked();
    if (blocked !== null) return blocked;
    const shown = this.#seats.open();
    if (shown !== null) return { ...shown, version: this.#version };
    const idle = idleStatus(this.#life());
    const { accounts } = this.#options;
    if (accounts !== null && !this.#hasOwners) {
      return refusedBy(accounts.needsAuth(null, "nobody has connected one"), idle);
    }
    // Without accounts nobody's failure is that one's own.
    return (accounts === null ? this.#seats.failed() : null) ?? idle;
  }

  catalogue(): Catalogue {
    return this.#options.shipped ?? this.#learned.catalogue;
  }

  refusal(): Refusal | null {
    return this.#refusal;
  }

  inFlight(): number {
    return this.#seats.inFlight();
  }

  health(): BundleHealth {
    return isolatedHealth({
      ...this.#options,
      status: this.status(),
      upSince: this.#since,
      catalogue: this.catalogue(),
      held: this.held(),
      facts: this.#facts,
    });
  }

  held(): readonly HeldDefinition[] {
    return this.#learned.held();
  }

  accept(yes: Acceptance): readonly HeldDefinition[] {
    const accepted = this.#learned.accept(yes);
    this.#options.onChange(this.name);
    return accepted;
  }

  facts(): PackageFacts | null {
    return this.#facts;
  }

  forget(): Promise<void> {
    return this.#learned.forget();
  }

  expectNewSet(): void {
    this.#options.pins.expectNewSet();
  }

  /** Everybody's, one after the other. */
  output(): readonly string[] {
    return this.#seats.output();
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Calls go to `of(principal)`; one that does not is nobody's. */
  send(): Promise<ProviderAnswer> {
    return Promise.reject(new HostError(`a call of ${this.name} belongs to no principal`));
  }

  watch(): false {
    return false;
  }

  #owners(): readonly string[] {
    const owners = this.#options.accounts?.owners() ?? [];
    this.#hasOwners = this.#options.accounts === null || owners.length > 0;
    return owners;
  }

  #tell(type: BundleEvent["type"], message: string): void {
    this.#options.log({ type, name: this.name, message, data: { name: this.name } });
  }

  #life(): IsolatedLife {
    return {
      name: this.name,
      refusal: this.#refusal,
      stopped: this.#stopped,
      isChecked: this.#check.ended === null,
      since: this.#since,
      version: this.#version,
    };
  }

  #blocked(): ProviderStatus | null {
    return blockedStatus(this.#life());
  }

  #seat(owner: string): Seat {
    const known = this.#seats.find(owner);
    if (known !== undefined) return known;
    const { accounts } = this.#options;
    const account = accounts?.of(owner);
    const provider = this.#options.make(owner, {
      onChange: () => this.#changed(owner),
      // A connection that rests is no stop of the bundle, which tells of its own.
      log: (event) => (event.type === "bundle.stopped" ? undefined : this.#options.log(event)),
    });
    const view = new PrincipalView({
      provider,
      blocked: () => this.#blocked(),
      checked: () => this.#check.ended,
      missing: () =>
        accounts === null || account?.isConnected() ? null : accounts.needsAuth(owner, "no account is connected"),
      known: () => this.catalogue(),
      admit: () => this.#seats.admit(owner, view),
    });
    return this.#seats.put(owner, { view, provider });
  }

  #begin(facts: PackageFacts | null): void {
    this.#facts = facts;
    this.#version = facts?.version ?? this.#version;
    this.#seats.watchIdle();
    const [first] = this.#owners();
    // Somebody's connection must say what there is.
    if (first !== undefined && this.catalogue() === EMPTY_CATALOGUE) this.#seat(first).view.wake();
    for (const { view } of this.#seats.all()) view.resume();
    this.#options.onChange(this.name);
  }

  /** Without accounts the first who comes finds out what there is. */
  #introduce(view: PrincipalView): void {
    if (this.#blocked() !== null) return;
    this.#introduced = true;
    if (this.#options.accounts === null && this.catalogue() === EMPTY_CATALOGUE) view.open();
  }

  #changed(owner: string): void {
    const provider = this.#seats.find(owner)?.provider;
    const status = provider?.status();
    if (provider && status?.state === "running") {
      this.#learned.learn(provider.pinned);
      this.#version = status.version;
    }
    if (status?.state === "refused") this.#owners();
    this.#options.onChange(this.name);
  }
}
