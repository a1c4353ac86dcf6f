/** Takes back what was approved, or is waiting to be, when the tool is not what it was when somebody asked. */
import { nameSome } from "../kernel/declare-command.ts";
import type { ApprovalRoom } from "./approval/create-approvals.ts";
import type { SheetTool } from "./surface/render-tool.ts";
import type { WorkspaceSurfaces } from "./surface/workspace-surfaces.ts";

/** Returns the function that ends it. Costs nothing while there are no approvals. */
export const cancelChanged = (
  surfaces: Pick<WorkspaceSurfaces, "pages" | "onChange">,
  approvals: Pick<ApprovalRoom, "cancelWhere">,
  reportBug: (error: unknown) => void,
): (() => void) =>
  surfaces.onChange((workspace) => {
    approvals
      .cancelWhere(({ workspace: of, tool, capability }) => {
        if (of !== workspace || capability.definition === null) return null;
        const now = find(surfaces, workspace, tool);
        return now && whyChanged(now, capability.definition);
      })
      .catch(reportBug);
  });

/** It had all that it requires when somebody asked. */
const whyChanged = ({ tool, requirements }: SheetTool, definition: string): string | null => {
  if (tool.definition !== definition || tool.held !== undefined) return "The definition of the tool changed.";
  const missing = new Set(requirements?.missing);
  return missing.size === 0 ? null : `The host no longer declares ${nameSome([...missing])}.`;
};

const find = (surfaces: Pick<WorkspaceSurfaces, "pages">, workspace: string, flatName: string): SheetTool | null => {
  for (const page of surfaces.pages(workspace)) {
    if (!flatName.startsWith(`${page.provider.name}__`)) continue;
    for (const entry of page.tools.values()) if (entry.flat === flatName) return entry;
  }
  return null;
};
