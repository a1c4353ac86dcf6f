/** Skills of every open workspace, by its name. */
import type { SkillAdmin } from "../kernel/skill-admin.ts";
import { skillViewer } from "../kernel/skill-viewer.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { WorkspaceSkills } from "../skills/create-skill-admin.ts";

/** `of`: those of one that is open; throws Refusal `not_found` else. */
export const steerSkills = (
  of: (workspace: string) => WorkspaceSkills,
  surfaces: Pick<Surfaces, "of">,
): SkillAdmin => ({
  list: (viewer, filter) => of(viewer.workspace).list(skillViewer(viewer, surfaces), filter),
  get: (viewer, name) => of(viewer.workspace).get(skillViewer(viewer, surfaces), name),
  accept: (name, digest, { by, workspace }) => of(workspace).accept(name, digest, by),
});
