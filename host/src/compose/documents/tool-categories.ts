/** What tools are filed under, in the order of the document: seven of the compose provider, then everybody else's. */
export const TOOL_CATEGORIES = [
  "content",
  "artifact",
  "config",
  "storage",
  "query",
  "validation",
  "batch",
  "host",
  "skill",
  "bundle",
] as const;

export type ToolCategory = (typeof TOOL_CATEGORIES)[number];
