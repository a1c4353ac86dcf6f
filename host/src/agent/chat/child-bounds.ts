/** How a delegate is bounded: by its profile, by what the call asks for, and always by the run that asks. Pure. */
import type { Fence } from "../../kernel/call-run.ts";
import { matchesGlob } from "../../kernel/glob.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { oneLine } from "../prompt/one-line.ts";
import { isSystemTool } from "../surface/run-fence.ts";
import { DELEGATE_ITERATIONS } from "../tools/delegate-iterations.ts";
import type { AgentSettings } from "./agent-ports.ts";

const MOST_NAMED = 50;
/** A glob names the host's own tools only if it begins with this. */
const SYSTEM = "nb__";

export interface Iterations {
  readonly call: number | null;
  readonly profile: number | null;
  /** Of the parent, its running one counted; null: it has none. */
  readonly remaining: number | null;
}

/** `min(child, parent.remaining - 1)`, and never below 1. */
export const childIterations = ({ call, profile, remaining }: Iterations): number => {
  const child = Math.min(call ?? profile ?? DELEGATE_ITERATIONS.usual, DELEGATE_ITERATIONS.most);
  return Math.max(1, remaining === null ? child : Math.min(child, remaining - 1));
};

/** `globs`: null: what the parent may call. */
export const childFence =
  (globs: readonly string[] | null, parent: Fence | null): Fence =>
  (name) => {
    const wanted = isSystemTool(name) ? (globs ?? []).filter((glob) => glob.startsWith(SYSTEM)) : globs;
    const isWanted = wanted === null || wanted.some((glob) => matchesGlob(glob, name));
    if (isWanted && (parent?.(name) ?? null) === null) return null;
    const tool = oneLine(name);
    return new Refusal("outside_delegate", {
      message: `${tool} is not available to this sub-agent.`,
      next: "Do the task without it, and say in the answer what it would have been needed for.",
      details: { tool },
    });
  };

/** Refusal `invalid_input` that lists the profiles. */
export const profileOf = ({ agents }: Pick<AgentSettings, "agents">, name: string): AgentSettings["agents"][string] => {
  const profile = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(agents).toSorted();
  const known =
    names.length === 0
      ? "none"
      : names
          .slice(0, MOST_NAMED)
          .map((each) => oneLine(each))
          .join(", ");
  throw new Refusal("invalid_input", {
    message: `There is no agent profile ${JSON.stringify(oneLine(name))}. Profiles: ${known}.`,
    next: names.length === 0 ? "Leave `agent` out." : "Use one of these profiles, or leave `agent` out.",
    details: { path: "/agent", profiles: names },
  });
};
