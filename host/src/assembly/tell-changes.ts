/** Tells those who follow a workspace of approvals that come and go, and of lists that are not what they were. */
import type { CallPath } from "../call/create-call-path.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";

export const tellChanges = (path: Pick<CallPath, "approvals" | "surfaces">, news: WorkspaceEvents): void => {
  path.approvals.onChange(({ id, workspace, state, tool }) => {
    const type = state === "pending" ? "approval.pending" : "approval.decided";
    news.publish(workspace, { type, data: { id, state, tool } });
  });
  /** How many changes there were in one workspace is nobody's business in another. */
  const versions = new Map<string, number>();
  path.surfaces.onChange((workspace) => {
    const version = (versions.get(workspace) ?? 0) + 1;
    versions.set(workspace, version);
    news.publish(workspace, { type: "surface.changed", data: { version } });
  });
};
