/**
 * Stage 4. A call of a tool that cannot run is skipped, never a transport error; one in a mode that the tool does not have is
 * refused. A tool whose provider is starting or crashed goes on: stage 9 waits for it.
 */
import type { Check } from "../../kernel/check.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import { advance, type Lifecycle, type LifecycleState, type Live, type Surfaced } from "../../kernel/stages.ts";
import { lifecycleOf } from "./lifecycle-of.ts";

type Held = NonNullable<ListedTool["held"]>;

const HELD: Record<Held, string> = {
  definition_changed: "its server now defines it otherwise, and nobody has accepted that",
  definition_new: "its server did not have it when its tools were accepted, and nobody has accepted it since",
};

/** States in which nothing is sent, by the kind of their refusal. */
const SKIPPED: Partial<Record<LifecycleState, RefusalKind>> = {
  disabled: "disabled",
  unavailable: "unavailable",
  suspended: "suspended",
  declared: "unavailable",
};

const stateOf = ({ target }: Surfaced): Lifecycle => lifecycleOf(target.provider, target.tool, target.capability);

const judgeState = (call: Surfaced, found: Lifecycle): Refusal | null => {
  const kind = SKIPPED[found.state];
  if (kind === undefined) return found.state === "discoverable" ? judgeAccount(call, found) : null;
  const { flatName, capability, tool } = call.target;
  const held = found.state === "suspended" ? tool?.held : undefined;
  return new Refusal(held ?? kind, {
    message:
      held === undefined
        ? `${flatName} cannot run: ${found.reason}`
        : `${flatName} is held: ${HELD[held]}; nothing was sent.`,
    next: found.next ?? "See why: bailiwick doctor",
    details: { capability_id: capability.id, lifecycle: found.state, reason: found.reason },
  });
};

/** What its host lacks otherwise is for stage 5 to name. */
const judgeAccount = ({ target }: Surfaced, { reason, next }: Lifecycle): Refusal | null => {
  const { link } = target.provider.status();
  if (link === undefined) return null;
  return new Refusal("needs_auth", {
    message: `${target.flatName} cannot run: ${reason}`,
    next: next ?? `Connect the account: open ${link} in a browser.`,
    details: { capability_id: target.capability.id, link },
  });
};

const judgeMode = ({ envelope, target }: Surfaced): Refusal | null => {
  const mode = envelope?.mode ?? "sync";
  const modes: readonly string[] = target.capability.modes;
  if (modes.includes(mode)) return null;
  return new Refusal("unsupported_mode", {
    message: `${target.flatName} cannot be called in mode ${mode}.`,
    next: `Use one of its modes: ${modes.join(", ")}.`,
    details: { capability_id: target.capability.id, requested: mode, modes },
  });
};

export const LIFECYCLE_CHECKS: readonly Check<Surfaced>[] = [
  {
    name: "state",
    judge: (call) => judgeState(call, stateOf(call)),
    why: (call) => {
      const { state, reason } = stateOf(call);
      return reason === null ? state : `${state}: ${reason}`;
    },
  },
  { name: "mode", judge: judgeMode, why: ({ envelope }) => envelope?.mode ?? "sync" },
];

export const lifecycle = (call: Surfaced): Live => {
  const found = stateOf(call);
  const no = judgeState(call, found) ?? (call.envelope === null ? null : judgeMode(call));
  if (no) throw no;
  return advance(call, { lifecycle: found });
};
