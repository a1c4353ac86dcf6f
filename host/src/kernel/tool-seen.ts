/** A tool in a list that goes out to people and programs: capabilities only where it requires any. */
import type { ToolRow } from "./surface.ts";

export interface ToolSeen extends Omit<ToolRow, "required" | "missing"> {
  readonly required_capabilities?: readonly string[];
  readonly missing_capabilities?: readonly string[];
}

export const toolSeen = ({ required, missing, ...row }: ToolRow): ToolSeen => ({
  ...row,
  ...(required.length === 0 ? {} : { required_capabilities: required }),
  ...(missing.length === 0 ? {} : { missing_capabilities: missing }),
});
