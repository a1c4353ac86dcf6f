/** The hash of what a tool's definition says to those who call it: two that differ in nothing else are one. */
import { createHash } from "node:crypto";
import { jcs } from "./jcs.ts";

/** `sha256:<hex>` */
export const definitionOf = (tool: Readonly<Record<string, unknown>>): string => {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: meta } = tool;
  const { ui, dcc } =
    typeof meta === "object" && meta !== null && !Array.isArray(meta) ? (meta as Record<string, unknown>) : {};
  const ours = ui === undefined && dcc === undefined ? undefined : { ui, dcc };
  const said = { name, title, description, inputSchema, outputSchema, annotations, _meta: ours };
  return `sha256:${createHash("sha256").update(jcs(said)).digest("hex")}`;
};
