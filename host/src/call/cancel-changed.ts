/** Takes back what was approved, or is waiting to be, when the tool is not what it was when somebody asked. */
import type { ApprovalRoom } from "./approval/create-approvals.ts";
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
        const isSame = now === null || (now.definition === capability.definition && now.held === undefined);
        return isSame ? null : "The definition of the tool changed.";
      })
      .catch(reportBug);
  });

const find = (surfaces: Pick<WorkspaceSurfaces, "pages">, workspace: string, flatName: string) => {
  for (const page of surfaces.pages(workspace)) {
    if (!flatName.startsWith(`${page.provider.name}__`)) continue;
    for (const { flat, tool } of page.tools.values()) if (flat === flatName) return tool;
  }
  return null;
};
