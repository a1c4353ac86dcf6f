/** A tool as searches and people see it. */
import type { ToolRow } from "../../kernel/surface.ts";
import type { SheetTool } from "./render-tool.ts";

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const rowOf = ({ flat, tool, lifecycle, provider, requirements }: SheetTool): ToolRow => ({
  name: flat,
  provider,
  title: text(tool.value["title"]),
  description: text(tool.value["description"]),
  state: lifecycle.state,
  reason: lifecycle.reason,
  next: lifecycle.next,
  definition: tool.definition,
  required: requirements?.required ?? [],
  missing: requirements?.missing ?? [],
});
