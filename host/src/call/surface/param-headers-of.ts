/** Which arguments of a tool its callers repeat in headers, read from its schema once. */
import { findParamHeaders, type ParamHeader } from "../../kernel/param-headers.ts";
import type { ListedTool } from "../../kernel/provider.ts";

const NONE: readonly ParamHeader[] = [];
const known = new WeakMap<ListedTool, readonly ParamHeader[]>();

/** None where the annotation cannot be followed: then no client can send what it asks for. */
export const paramHeadersOf = (tool: ListedTool | null | undefined): readonly ParamHeader[] => {
  if (!tool) return NONE;
  const read = known.get(tool);
  if (read) return read;
  const found = findParamHeaders(tool.value["inputSchema"]);
  const headers = typeof found === "string" ? NONE : found;
  known.set(tool, headers);
  return headers;
};
