/**
 * A bundle as one principal sees and calls it, where each has a connection of its own. The connection is made for the
 * first call and may have ended since the last one; nobody notices but by the wait.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type ListedTool,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { BundleProvider } from "./bundle-provider.ts";
import { orAborted } from "./or-aborted.ts";

export interface PrincipalViewOptions {
  readonly provider: BundleProvider;
  /** Why nobody may call it now; null: this principal's own connection decides. */
  readonly blocked: () => ProviderStatus | null;
  /** Resolves when it is decided whether it may run; null: it is. */
  readonly checked: () => Promise<void> | null;
  /** The refusal of a principal that has no account there; null: it has one. */
  readonly missing: () => Refusal | null;
  /** What anybody's connection listed last, as far as it is not that one's own. */
  readonly known: () => Catalogue;
  /** Makes room for one more connection; throws the Refusal when there is none. */
  readonly admit: () => void;
}

const OPEN: ReadonlySet<string> = new Set(["starting", "running", "crashed"]);
const START_WAIT_MS = 2_000;

export class PrincipalView implements Provider {
  readonly name: string;
  readonly #options: PrincipalViewOptions;
  usedAt = 0;
  #active = 0;
  #watchers = 0;

  constructor(options: PrincipalViewOptions) {
    this.name = options.provider.name;
    this.#options = options;
  }

  status(): ProviderStatus {
    const { blocked, missing, provider } = this.#options;
    const status = blocked();
    if (status !== null) return status;
    const refusal = missing();
    const own = provider.status();
    if (refusal !== null) return refusedBy(refusal, own);
    // Not connected is the usual case: the next call connects it.
    return own.state === "stopped" ? { ...own, state: "running", reason: null, next: null } : own;
  }

  catalogue(): Catalogue {
    const own = this.#options.provider.catalogue();
    return own === EMPTY_CATALOGUE ? this.#options.known() : own;
  }

  async whenReady(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const { provider, checked } = this.#options;
    const until = Date.now() + waitMs;
    const checking = checked();
    if (checking !== null) {
      await orAborted(checking, AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, waitMs))])).catch(() => null);
    }
    if (!this.#mayOpen()) return false;
    if (!this.isOpen()) this.wake();
    return provider.whenReady(until - Date.now(), signal);
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const { missing, provider } = this.#options;
    const refusal = missing();
    if (refusal !== null) throw refusal;
    this.#active++;
    try {
      this.usedAt = Date.now();
      // It may have been idle for too long between the look and the call, or is just being opened for another one.
      if (provider.status().state !== "running") await this.#connectFor(request);
      return await provider.send(request);
    } finally {
      this.#active--;
      this.usedAt = Date.now();
    }
  }

  /** The gates saw what was listed before; the connection that is opened now may list the tool otherwise. */
  async #connectFor({ method, name, signal }: ProviderRequest): Promise<void> {
    const before = this.#tool(name);
    await this.whenReady(START_WAIT_MS, signal);
    if (method !== "tools/call") return;
    const now = this.#tool(name);
    if (now?.held === undefined && (before === undefined || now?.definition === before.definition)) return;
    throw new Refusal("stale_surface", {
      message: `${name.slice(0, 128)} of ${this.name} changed while this call was on its way; nothing was sent.`,
      next: "List the tools again and repeat the call.",
    });
  }

  #tool(name: string): ListedTool | undefined {
    return this.catalogue().tools.find((tool) => tool.name === name);
  }

  /** Who watches uses the connection: without it nobody would tell of a change. */
  watch(uri: string, updated: () => void): (() => void) | false {
    if (!this.#mayOpen() || !this.open()) return false;
    const end = this.#options.provider.watch(uri, updated);
    if (end === false) return false;
    this.#watchers++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#watchers--;
      this.usedAt = Date.now();
      end();
    };
  }

  /** The bundle runs again: what is watched is to be told of. */
  resume(): void {
    if (this.#watchers > 0 && this.#mayOpen()) this.open();
  }

  /** Somebody starts the bundle: what gave up tries again. */
  revive(): void {
    const { state } = this.#options.provider.status();
    if ((state === "dead" || state === "refused") && this.#mayOpen()) this.open();
  }

  /** False: there is no room for its connection. */
  open(): boolean {
    try {
      if (!this.isOpen()) this.wake();
      return true;
    } catch (no) {
      if (no instanceof Refusal) return false;
      throw no;
    }
  }

  isOpen(): boolean {
    return OPEN.has(this.#options.provider.status().state);
  }

  isBusy(): boolean {
    return this.#active + this.#watchers > 0;
  }

  wake(): void {
    this.#options.admit();
    this.usedAt = Date.now();
    this.#options.provider.start();
  }

  rest(reason: string): Promise<void> {
    return this.#options.provider.stop(reason);
  }

  #mayOpen(): boolean {
    const { blocked, missing } = this.#options;
    return blocked() === null && missing() === null;
  }
}

/** The status of one who must connect an account first. */
export const refusedBy = ({ message, next, details }: Refusal, status: ProviderStatus): ProviderStatus => ({
  ...status,
  state: "refused",
  reason: message,
  next,
  retryAfterMs: null,
  ...(typeof details["link"] === "string" ? { link: details["link"] } : {}),
});
