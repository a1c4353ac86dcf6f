/**
 * The state of a tool, computed from facts: what its provider is doing, whether its definition was accepted, what an overlay
 * says. Listing and calling ask the same function.
 */
import type { Capability } from "../../kernel/capability.ts";
import type { ListedTool, Provider, ProviderState } from "../../kernel/provider.ts";
import { canBeTyped, shellWord } from "../../kernel/shell-word.ts";
import type { Lifecycle, LifecycleState } from "../../kernel/stages.ts";

export type LifecycleFacts = Pick<Capability, "disabled" | "status" | "sunset">;

const STATES: Record<ProviderState, LifecycleState> = {
  running: "invokable",
  starting: "hosted",
  crashed: "hosted",
  dead: "unavailable",
  stopped: "unavailable",
  refused: "unavailable",
};

/** Where several states apply, the first of these is shown. */
const STRENGTH: readonly LifecycleState[] = [
  "disabled",
  "unavailable",
  "suspended",
  "declared",
  "hosted",
  "discoverable",
  "deprecated",
  "invokable",
];

const INVOKABLE: Lifecycle = Object.freeze({ state: "invokable", reason: null, next: null, retryAfterMs: null });

export const strongest = (a: Lifecycle, b: Lifecycle): Lifecycle =>
  STRENGTH.indexOf(a.state) <= STRENGTH.indexOf(b.state) ? a : b;

/** `tool` null: what is called is no tool. One whose provider is down for good says that; accepting it would not help yet. */
export const lifecycleOf = (
  provider: Provider,
  tool: ListedTool | null,
  facts: LifecycleFacts | null = null,
): Lifecycle => {
  const status = provider.status();
  const told = facts === null ? INVOKABLE : toldState(facts);
  if (told.state === "disabled") return told;
  if (tool?.barred !== undefined) return { ...tool.barred, retryAfterMs: null };
  const accountMissing = status.state === "refused" && status.link !== undefined;
  const down = STATES[status.state] === "unavailable" && !accountMissing;
  if (tool?.held !== undefined && !down) return suspended(provider, tool, tool.held);
  if (status.state === "running") return told;
  return {
    state: accountMissing ? "discoverable" : STATES[status.state],
    reason: status.reason ?? `The provider is ${status.state}.`,
    next: status.next,
    retryAfterMs: status.retryAfterMs,
  };
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What configuration alone makes of it. */
const toldState = ({ disabled, status, sunset }: LifecycleFacts): Lifecycle => {
  const over = sunset !== null && Date.now() >= sunset;
  if (disabled === null && !over && status !== "deprecated" && sunset === null) return INVOKABLE;
  if (disabled !== null || over) {
    return {
      state: "disabled",
      reason: disabled ?? `It was withdrawn on ${dayOf(sunset ?? 0)}.`,
      next: "Ask the operator; what is said about it stands in policy.capabilities, and bailiwick policy check names any fault.",
      retryAfterMs: null,
    };
  }
  return {
    state: "deprecated",
    reason: sunset === null ? "It is deprecated." : `It is deprecated and will be withdrawn on ${dayOf(sunset)}.`,
    next: "Look for a tool that replaces it.",
    retryAfterMs: null,
  };
};

const suspended = (
  { name, acceptWith }: Provider,
  tool: ListedTool,
  reason: NonNullable<ListedTool["held"]>,
): Lifecycle => ({
  state: "suspended",
  reason,
  next: `Look at what is new, then run: ${acceptWith ?? acceptCommand(name, tool.name)}`,
  retryAfterMs: null,
});

/** A tool named like a flag would be taken for one, and `--yes` accepts all: then the bundle stands there alone. */
const acceptCommand = (provider: string, tool: string): string =>
  `bailiwick bundle accept ${provider}${canBeTyped(tool) ? ` ${shellWord(tool)}` : ""}`;
