/**
 * Takes out of a catalogue the tools whose header annotations cannot be followed, and remembers the others' for the calls.
 */
import { findParamHeaders, type ParamHeader } from "../../kernel/param-headers.ts";
import type { Catalogue } from "../../kernel/provider.ts";

export interface Reviewed {
  readonly catalogue: Catalogue;
  /** By tool; only tools that have any. */
  readonly headers: ReadonlyMap<string, readonly ParamHeader[]>;
}

export const reviewHeaders = (catalogue: Catalogue): Reviewed => {
  const headers = new Map<string, readonly ParamHeader[]>();
  const defects = [...catalogue.defects];
  const tools = catalogue.tools.filter((tool) => {
    const found = findParamHeaders(tool.value["inputSchema"]);
    if (typeof found === "string") {
      defects.push(`tool "${tool.name}" has an invalid_header_annotation: ${found}`);
      return false;
    }
    if (found.length > 0) headers.set(tool.name, found);
    return true;
  });
  return { catalogue: { ...catalogue, tools, defects }, headers };
};
