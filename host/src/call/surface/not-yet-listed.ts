/** The "no" to a name or URI while those that may have it are starting and have never listed anything: nobody knows yet. */
import type { Provider } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";

const RETRY_MS = 2_000;

export class NotYetListed extends Refusal {
  readonly providers: readonly Provider[];

  /** `what` as the caller knows it. */
  constructor(providers: readonly [Provider, ...Provider[]], what: string) {
    const [first] = providers;
    const { name } = first;
    const { state, reason, next, retryAfterMs } = first.status();
    super("not_ready", {
      message: `${what} is not known yet: ${reason ?? `${name} is ${state} and has listed nothing so far.`}`,
      next: next ?? `Repeat the call in a moment; \`bailiwick doctor\` shows what ${name} is waiting for.`,
      details: { state },
      retryAfterMs: retryAfterMs ?? RETRY_MS,
    });
    this.providers = providers;
  }
}
