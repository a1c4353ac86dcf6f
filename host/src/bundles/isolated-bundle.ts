/**
 * A bundle to which each principal has a connection of its own, with its own account. What it lists is known to all, but
 * for resources, which may be somebody's own; what it answers is not. It holds at most 32 connections, and those that
 * nobody uses for ten minutes end.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderStatus,
} from "../kernel/provider.ts";
import { HostError } from "../kernel/host-error.ts";
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Bundle } from "./bundle.ts";
import { judgeHealth, type BundleHealth } from "./bundle-health.ts";
import type { BundleProvider } from "./bundle-provider.ts";
import type { DefinitionsFile } from "./definitions-file.ts";
import type { Accounts } from "./oauth/accounts.ts";
import { PrincipalView, refusedBy } from "./principal-view.ts";
import { withoutResources } from "./without-resources.ts";

export interface IsolatedBundleOptions {
  readonly name: string;
  readonly accounts: Accounts;
  readonly definitions: DefinitionsFile;
  readonly idleReason: string;
  readonly trustScore: number | null;
  readonly idleMs: number;
  /** The supervised connection of one principal. */
  readonly make: (owner: string, onChange: () => void) => BundleProvider;
  readonly onChange: (name: string) => void;
}

const MAX_CONNECTIONS = 32;
const MAX_VIEWS = 1_000;
const RETRY_MS = 1_000;

interface Seat {
  readonly view: PrincipalView;
  readonly provider: BundleProvider;
}

export class IsolatedBundle implements Bundle {
  readonly name: string;
  readonly #options: IsolatedBundleOptions;
  readonly #seats = new Map<string, Seat>();
  /** As somebody's connection listed it, and what of that all may see. */
  #listed: Catalogue = EMPTY_CATALOGUE;
  #catalogue: Catalogue = EMPTY_CATALOGUE;
  #version: string | null = null;
  #refusal: Refusal | null = null;
  /** Why it is stopped; null: it runs. */
  #stopped: string | null;
  #since = Date.now();
  #stops = 0;
  #hasOwners = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: IsolatedBundleOptions) {
    this.name = options.name;
    this.#options = options;
    this.#stopped = options.idleReason;
  }

  async recall(): Promise<void> {
    const known = await this.#options.definitions.read();
    if (known === null) return;
    this.#catalogue = known.catalogue;
    this.#version = known.version;
  }

  start(): void {
    if (this.#stopped === null && this.#refusal === null) return;
    this.#stopped = null;
    this.#refusal = null;
    this.#since = Date.now();
    this.#sweep ??= setInterval(() => this.#endIdle(), Math.max(1, this.#options.idleMs / 10)).unref();
    const [first] = this.#owners();
    // Somebody's connection must say what there is.
    if (first !== undefined && this.#catalogue === EMPTY_CATALOGUE) this.#seat(first).view.wake();
    for (const { view } of this.#seats.values()) view.resume();
    this.#options.onChange(this.name);
  }

  async stop(reason: string): Promise<void> {
    this.#stops++;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#stopped ??= reason;
    this.#since = Date.now();
    await Promise.all([...this.#seats.values()].map(({ view }) => view.rest(reason)));
    await this.#options.definitions.settled();
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
    this.#refusal = refusal;
    this.#since = Date.now();
    this.#options.onChange(this.name);
  }

  /** Its account was connected a moment ago. */
  welcome(owner: string): void {
    this.#hasOwners = true;
    const { view } = this.#seat(owner);
    if (this.#blocked() === null && !view.isOpen() && this.#hasRoom()) view.wake();
    this.#options.onChange(this.name);
  }

  of(principal: Principal): Provider {
    return this.#seat(this.#options.accounts.ownerFor(principalName(principal))).view;
  }

  /** Nobody's in particular: what the operator sees. */
  status(): ProviderStatus {
    const blocked = this.#blocked();
    if (blocked !== null) return blocked;
    const own = [...this.#seats.values()].filter(({ view }) => view.isOpen()).map(({ provider }) => provider.status());
    const shown = own.find(({ state }) => state === "running") ?? own[0];
    if (shown !== undefined) return { ...shown, version: this.#version };
    const idle = this.#plain("running", null, null);
    return this.#hasOwners ? idle : refusedBy(this.#options.accounts.needsAuth(null, "nobody has connected one"), idle);
  }

  catalogue(): Catalogue {
    return this.#catalogue;
  }

  health(): BundleHealth {
    const { state, reason, next, since, lastError, restartsInWindow, version } = this.status();
    return {
      name: this.name,
      state,
      health: judgeHealth(state, 0),
      reason,
      next,
      since,
      uptimeMs: state === "running" ? Date.now() - this.#since : 0,
      restartsInWindow,
      lastError,
      toolCount: this.#catalogue.tools.length,
      heldTools: 0,
      version,
      trustScore: this.#options.trustScore,
      warnings: this.#catalogue.defects,
    };
  }

  output(): readonly string[] {
    return [];
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
    const owners = this.#options.accounts.owners();
    this.#hasOwners = owners.length > 0;
    return owners;
  }

  #blocked(): ProviderStatus | null {
    const refusal = this.#refusal;
    if (refusal !== null) return this.#plain("refused", refusal.message, refusal.next);
    if (this.#stopped === null) return null;
    return this.#plain(
      "stopped",
      `${this.name} is stopped: ${this.#stopped}`,
      `Run: bailiwick bundle start ${this.name}`,
    );
  }

  #plain(state: ProviderStatus["state"], reason: string | null, next: string | null): ProviderStatus {
    const facts = { since: this.#since, version: this.#version, restartsInWindow: 0, lastError: null };
    return { state, reason, next, retryAfterMs: null, ...facts };
  }

  #seat(owner: string): Seat {
    const known = this.#seats.get(owner);
    if (known !== undefined) return known;
    const account = this.#options.accounts.of(owner);
    const provider = this.#options.make(owner, () => this.#changed(owner));
    const view = new PrincipalView({
      provider,
      blocked: () => this.#blocked(),
      missing: () =>
        account.isConnected() ? null : this.#options.accounts.needsAuth(owner, "no account is connected"),
      known: () => this.#catalogue,
      admit: () => {
        if (this.#seats.get(owner)?.view !== view) throw this.#full("this principal's place was given away");
        if (!this.#hasRoom()) throw this.#full(`it has ${MAX_CONNECTIONS} connections, all of them in use`);
      },
    });
    const seat = { view, provider };
    this.#seats.set(owner, seat);
    this.#forget();
    return seat;
  }

  #changed(owner: string): void {
    const provider = this.#seats.get(owner)?.provider;
    const status = provider?.status();
    if (provider && status?.state === "running") {
      this.#learn(provider.catalogue());
      this.#version = status.version;
    }
    if (status?.state === "refused") this.#owners();
    this.#options.onChange(this.name);
  }

  /** The same object as long as the same was listed, because others go by that. */
  #learn(listed: Catalogue): void {
    if (this.#listed === listed) return;
    this.#listed = listed;
    this.#catalogue = withoutResources(listed);
  }

  /** Ends the connection that was used least recently where it takes one to make room. */
  #hasRoom(): boolean {
    const open = [...this.#seats.values()].map(({ view }) => view).filter((view) => view.isOpen());
    if (open.length < MAX_CONNECTIONS) return true;
    const [longest] = open.filter((view) => !view.isBusy()).toSorted((a, b) => a.usedAt - b.usedAt);
    void longest?.rest("another principal needs the connection");
    return longest !== undefined;
  }

  #full(because: string): Refusal {
    return new Refusal("not_ready", {
      message: `${this.name} cannot be connected now: ${because}; nothing was sent.`,
      next: `Try again in ${RETRY_MS} ms.`,
      retryAfterMs: RETRY_MS,
    });
  }

  #endIdle(): void {
    const before = Date.now() - this.#options.idleMs;
    for (const { view } of this.#seats.values()) {
      if (view.isOpen() && !view.isBusy() && view.usedAt < before) void view.rest("nobody used it for a while");
    }
  }

  /** Principals that only looked, longest ago. */
  #forget(): void {
    if (this.#seats.size <= MAX_VIEWS) return;
    for (const [owner, { view }] of this.#seats) {
      if (view.isOpen() || view.isBusy()) continue;
      this.#seats.delete(owner);
      return;
    }
  }
}
