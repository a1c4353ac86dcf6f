/** One tool as it is listed, on both kinds of endpoint, and who may see it. */
import type { Capability } from "../../kernel/capability.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { Requirements, RequirementsOf } from "../../kernel/environment.ts";
import type { ListedTool, Provider, ProviderStatus } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { entryToEndpoint } from "../../kernel/rewrite-uris.ts";
import type { Lifecycle, LifecycleState } from "../../kernel/stages.ts";
import { flatName, listedName } from "./flat-name.ts";
import { once } from "./once.ts";
import { joinMeta, lifecycleMember, spliceEntry } from "./splice-entry.ts";
import { toolVisibility, type ToolVisibility } from "./tool-visibility.ts";

export interface SheetTool {
  readonly flat: string;
  /** Its outward id. */
  readonly id: string;
  readonly tool: ListedTool;
  readonly lifecycle: Lifecycle;
  /** With what is said about it beside its definition; null: nothing is. */
  readonly overlaid: Capability | null;
  /** Of environment capabilities, as the gate has them; null: what it says of them cannot be read. */
  readonly requirements: Requirements | null;
  readonly provider: string;
  readonly visibility: ToolVisibility;
  /** As listed on `/mcp` and on the provider's own endpoint. */
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

/** What is known of a tool beside its own definition and its provider. */
export type ToolFacts = Pick<SheetTool, "overlaid" | "requirements">;

export interface ToolRules {
  readonly maxNameLength: number;
  readonly requirementsOf: RequirementsOf;
  readonly lifecycleOf: (provider: Provider, tool: ListedTool, said: ToolFacts) => Lifecycle;
  /** Null: nothing is said about it but by its definition. */
  readonly overlaidOf: (provider: Provider, tool: ListedTool, flatName: string) => Capability | null;
}

/** What stage 4 refuses before anybody looks at capabilities, and what may pass. */
const PASSING: ReadonlySet<LifecycleState> = new Set<LifecycleState>(["unavailable", "suspended", "declared"]);

/** As the refusal of its call says: what the host does not declare is not there a moment later either. */
const isRetryable = (
  state: LifecycleState,
  { link }: Pick<ProviderStatus, "link">,
  requirements: Requirements | null,
): boolean => {
  if (state === "disabled") return false;
  const lacks = requirements !== null && requirements.missing.length > 0;
  return !lacks || PASSING.has(state) || (state === "discoverable" && link !== undefined);
};

export const renderTool = (provider: Provider, tool: ListedTool, rules: ToolRules): SheetTool => {
  const flat = flatName(provider.name, tool.name);
  const overlaid = rules.overlaidOf(provider, tool, flat);
  const requirements = rules.requirementsOf(provider.name, tool, flat);
  const lifecycle = rules.lifecycleOf(provider, tool, { overlaid, requirements });
  const status = provider.status();
  const state = lifecycleMember(lifecycle, status.since, isRetryable(lifecycle.state, status, requirements));
  const name = listedName(flat, rules.maxNameLength);
  const alias = name === flat ? "" : `"dev.bailiwick/name":${JSON.stringify(flat)}`;
  const meta = joinMeta(alias, state);
  return {
    flat,
    id: overlaid?.id ?? capabilityId(flat),
    tool,
    lifecycle,
    overlaid,
    requirements,
    provider: provider.name,
    visibility: toolVisibility(tool),
    json: once(() => spliceEntry(entryToEndpoint(tool.json, provider.name, "tool"), { name, meta, requirements })),
    ownJson: once(() => spliceEntry(tool.json, { name: null, meta: state, requirements })),
  };
};
