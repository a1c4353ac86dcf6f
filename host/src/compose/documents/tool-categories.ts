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

const HOST = new Set(["nb", "files", "skills"]);

/** Of a tool that is not compose's. */
export const categoryOf = (provider: string, isSkillPackage: boolean): ToolCategory =>
  HOST.has(provider) ? "host" : isSkillPackage ? "skill" : "bundle";
