/**
 * Stage 4. The state of a tool, computed from facts; a call of a tool that cannot run is skipped, never a transport error.
 */
import type { Provider, ProviderState } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Lifecycle, type LifecycleState, type Live, type Surfaced } from "../../kernel/stages.ts";

const STATES: Record<ProviderState, LifecycleState> = {
  running: "invokable",
  starting: "hosted",
  crashed: "hosted",
  dead: "unavailable",
  stopped: "unavailable",
  refused: "unavailable",
};

const INVOKABLE: Lifecycle = Object.freeze({ state: "invokable", reason: null, next: null, retryAfterMs: null });

export const lifecycleOf = (provider: Provider): Lifecycle => {
  const status = provider.status();
  if (status.state === "running") return INVOKABLE;
  return {
    state: STATES[status.state],
    reason: status.reason ?? `The provider is ${status.state}.`,
    next: status.next,
    retryAfterMs: status.retryAfterMs,
  };
};

const refuseUnconnected = ({ target }: Surfaced, { reason, next }: Lifecycle): void => {
  const { link } = target.provider.status();
  if (link === undefined) return;
  throw new Refusal("needs_auth", {
    message: `${target.flatName} cannot run: ${reason}`,
    next: next ?? `Connect the account: open ${link} in a browser.`,
    details: { capability_id: target.flatName, link },
  });
};

/** A tool whose provider is starting or crashed goes on: stage 9 waits for it. */
export const lifecycle = (call: Surfaced): Live => {
  const found = lifecycleOf(call.target.provider);
  if (found.state === "unavailable") {
    refuseUnconnected(call, found);
    throw new Refusal("unavailable", {
      message: `${call.target.flatName} cannot run: ${found.reason}`,
      next: found.next ?? `See why: bailiwick doctor`,
      details: { capability_id: call.target.flatName, lifecycle: found.state, reason: found.reason },
    });
  }
  return advance(call, { lifecycle: found });
};
