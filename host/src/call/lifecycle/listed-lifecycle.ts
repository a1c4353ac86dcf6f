/** The state that a tool is listed in: what its call would meet at stage 4, and what later stages would refuse it for anyway. */
import { declareCommand, nameSome } from "../../kernel/declare-command.ts";
import type { Requirements } from "../../kernel/environment.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { UNREADABLE_DECLARATION, UNUSABLE_SCHEMA_NEXT } from "../../kernel/suspension.ts";
import { lifecycleOf, strongest, type LifecycleFacts } from "./lifecycle-of.ts";

export interface ListedFacts {
  /** Null: nothing is said about it but by its definition. */
  readonly overlaid: LifecycleFacts | null;
  /** Null: what it says about environment capabilities cannot be read. */
  readonly requirements: Requirements | null;
}

const suspended = ({ reason, next }: { readonly reason: string; readonly next: string }): Lifecycle => ({
  state: "suspended",
  reason,
  next,
  retryAfterMs: null,
});

const lacking = (missing: readonly string[]): Lifecycle => ({
  state: "discoverable",
  reason: `This host does not declare ${nameSome(missing)}.`,
  next: declareCommand(missing),
  retryAfterMs: null,
});

/** `schemaDefect`: why its input schema cannot be used; null: it can. */
export const createListedLifecycle =
  (schemaDefect: (tool: ListedTool) => string | null) =>
  (provider: Provider, tool: ListedTool, { overlaid, requirements }: ListedFacts): Lifecycle => {
    const found = lifecycleOf(provider, tool, overlaid);
    if (requirements === null) return strongest(found, suspended(UNREADABLE_DECLARATION));
    const defect = schemaDefect(tool);
    if (defect !== null) return strongest(found, suspended({ reason: defect, next: UNUSABLE_SCHEMA_NEXT }));
    return requirements.missing.length === 0 ? found : strongest(found, lacking([...new Set(requirements.missing)]));
  };
