/** One tool as it is listed, on both kinds of endpoint, and who may see it. */
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { entryToEndpoint } from "../../kernel/rewrite-uris.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { flatName, listedName } from "./flat-name.ts";
import { once } from "./once.ts";
import { joinMeta, lifecycleMember, spliceEntry } from "./splice-entry.ts";
import { toolVisibility, type ToolVisibility } from "./tool-visibility.ts";

export interface SheetTool {
  readonly flat: string;
  readonly tool: ListedTool;
  readonly lifecycle: Lifecycle;
  readonly provider: string;
  readonly visibility: ToolVisibility;
  /** As listed on `/mcp` and on the provider's own endpoint. */
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

export interface ToolRules {
  readonly maxNameLength: number;
  readonly lifecycleOf: (provider: Provider, tool: ListedTool) => Lifecycle;
}

export const renderTool = (provider: Provider, tool: ListedTool, rules: ToolRules): SheetTool => {
  const flat = flatName(provider.name, tool.name);
  const lifecycle = rules.lifecycleOf(provider, tool);
  const { since } = provider.status();
  const state = lifecycleMember(lifecycle, since, lifecycle.state !== "disabled");
  const name = listedName(flat, rules.maxNameLength);
  const alias = name === flat ? "" : `"dev.bailiwick/name":${JSON.stringify(flat)}`;
  const meta = joinMeta(alias, state);
  return {
    flat,
    tool,
    lifecycle,
    provider: provider.name,
    visibility: toolVisibility(tool),
    json: once(() => spliceEntry(entryToEndpoint(tool.json, provider.name, "tool"), { name, meta })),
    ownJson: once(() => spliceEntry(tool.json, { name: null, meta: state })),
  };
};
