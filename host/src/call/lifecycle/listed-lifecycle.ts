/** The state that a tool is listed in: what its call would meet at stage 4, and what later stages would refuse it for anyway. */
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { lifecycleOf, strongest, type LifecycleFacts } from "./lifecycle-of.ts";

export interface ListedFacts {
  /** Environment capabilities that the host lacks for it; null: what it says about them cannot be read. */
  readonly missing: (tool: ListedTool) => readonly string[] | null;
  /** Why its input schema cannot be used; null: it can. */
  readonly schemaDefect: (tool: ListedTool) => string | null;
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
  next: `bailiwick capabilities add ${missing.join(" ")}`,
  retryAfterMs: null,
});

export const createListedLifecycle =
  ({ missing, schemaDefect }: ListedFacts) =>
  (provider: Provider, tool: ListedTool, overlaid: LifecycleFacts | null): Lifecycle => {
    const found = lifecycleOf(provider, tool, overlaid);
    const lacks = missing(tool);
    if (lacks === null) return strongest(found, suspended("capability_declaration_invalid"));
    const defect = schemaDefect(tool);
    if (defect !== null) return strongest(found, suspended(defect));
    return lacks.length === 0 ? found : strongest(found, lacking(lacks));
  };
