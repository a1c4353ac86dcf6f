/** The "no" to a workspace that there is not. The same for one that exists: who is no member does not learn of it. */
import { Refusal } from "./refusal.ts";

export const unknownWorkspace = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such workspace for you.",
    next: "Leave X-Workspace-Id or --workspace out to be in your own workspace, or ask its operator to list you in members of its workspace.json.",
  });
