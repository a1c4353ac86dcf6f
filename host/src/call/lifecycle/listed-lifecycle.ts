/** The state that a tool is listed in: what its call would meet at stage 4, and what later stages would refuse it for anyway. */
import type { Requirements } from "../../kernel/environment.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import { shellWord } from "../../kernel/shell-word.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { lifecycleOf, strongest, type LifecycleFacts } from "./lifecycle-of.ts";

export interface ListedFacts {
  /** Null: nothing is said about it but by its definition. */
  readonly overlaid: LifecycleFacts | null;
  /** Null: what it says about environment capabilities cannot be read. */
  readonly requirements: Requirements | null;
}

const suspended = (reason: string): Lifecycle => ({
  state: "suspended",
  reason,
  next: "Report it to the author.",
  retryAfterMs: null,
});

const lacking = (missing: readonly string[]): Lifecycle => ({
  state: "discoverable",
  reason: `This host does not declare ${missing.join(", ")}.`,
  next: `bailiwick capabilities add ${missing.map(shellWord).join(" ")}`,
  retryAfterMs: null,
});

/** `schemaDefect`: why its input schema cannot be used; null: it can. */
export const createListedLifecycle =
  (schemaDefect: (tool: ListedTool) => string | null) =>
  (provider: Provider, tool: ListedTool, { overlaid, requirements }: ListedFacts): Lifecycle => {
    const found = lifecycleOf(provider, tool, overlaid);
    if (requirements === null) return strongest(found, suspended("capability_declaration_invalid"));
    const defect = schemaDefect(tool);
    if (defect !== null) return strongest(found, suspended(defect));
    return requirements.missing.length === 0 ? found : strongest(found, lacking([...new Set(requirements.missing)]));
  };
