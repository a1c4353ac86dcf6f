/**
 * Stage 4. The state of a tool, computed from facts; a call of a tool that cannot run is skipped, never a transport error.
 */
import type { ListedTool, Provider, ProviderState } from "../../kernel/provider.ts";
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

type Held = NonNullable<ListedTool["held"]>;

const INVOKABLE: Lifecycle = Object.freeze({ state: "invokable", reason: null, next: null, retryAfterMs: null });

/** `tool` null: what is called is no tool. One whose provider is down for good says that; accepting it would not help yet. */
export const lifecycleOf = (provider: Provider, tool: ListedTool | null): Lifecycle => {
  const status = provider.status();
  if (tool?.held !== undefined && STATES[status.state] !== "unavailable") return suspended(provider, tool, tool.held);
  if (status.state === "running") return INVOKABLE;
  return {
    state: STATES[status.state],
    reason: status.reason ?? `The provider is ${status.state}.`,
    next: status.next,
    retryAfterMs: status.retryAfterMs,
  };
};

const suspended = ({ name }: Provider, tool: ListedTool, reason: Held): Lifecycle => ({
  state: "suspended",
  reason,
  next: `Look at what is new, then run: bailiwick bundle accept ${name} ${quoted(tool.name)}`,
  retryAfterMs: null,
});

/** As a shell takes it: the name is the server's own choice. */
const quoted = (name: string): string => (/^[\w./:@-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

const HELD: Record<Held, string> = {
  definition_changed: "its server now defines it otherwise, and nobody has accepted that",
  definition_new: "its server did not have it when its tools were accepted, and nobody has accepted it since",
};

const refuseHeld = ({ target }: Surfaced, { state, next }: Lifecycle): void => {
  const held = target.tool?.held;
  if (state !== "suspended" || held === undefined) return;
  throw new Refusal(held, {
    message: `${target.flatName} is held: ${HELD[held]}; nothing was sent.`,
    next: next ?? "See why: bailiwick doctor",
    details: { capability_id: target.flatName, lifecycle: state, reason: held },
  });
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
  const found = lifecycleOf(call.target.provider, call.target.tool);
  refuseHeld(call, found);
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
