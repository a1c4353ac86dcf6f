/**
 * Who may see a tool by its own words: `_meta.ui.visibility`, both where it says nothing, and the older annotation that
 * keeps a tool from the model.
 */
import type { ListedTool } from "../../kernel/provider.ts";

export interface ToolVisibility {
  readonly model: boolean;
  readonly app: boolean;
}

const EVERYONE: ToolVisibility = { model: true, app: true };

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const toolVisibility = ({ value }: Pick<ListedTool, "value">): ToolVisibility => {
  const stated = memberOf(memberOf(value["_meta"], "ui"), "visibility");
  const internal = memberOf(value["annotations"], "ai.nimblebrain/internal") === true;
  if (!Array.isArray(stated)) return internal ? { model: false, app: true } : EVERYONE;
  return { model: stated.includes("model") && !internal, app: stated.includes("app") };
};
