/** Skills of every open workspace, by its name. */
import type { SkillAdmin } from "../kernel/skill-admin.ts";
import type { WorkspaceSkills } from "../skills/create-skill-admin.ts";

/** `of`: those of one that is open; throws Refusal `not_found` else. */
export const steerSkills = (of: (workspace: string) => WorkspaceSkills): SkillAdmin => ({
  list: (viewer, filter) => of(viewer.workspace).list(viewer, filter),
  get: (viewer, name) => of(viewer.workspace).get(viewer, name),
  accept: (name, digest, { by, workspace }) => of(workspace).accept(name, digest, by),
});
