/** Capabilities, skills and roots for one who is known beforehand, in one workspace: the local user of this process. */
import { nearest, WorkspaceResolveError } from "@bailiwick/contract";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { rootsSeen } from "../kernel/roots-seen.ts";
import { unresolvedPath } from "../kernel/unresolved-path.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import type { Host } from "./host.ts";

export const controlGates = (
  { environment, skills, roots }: Pick<ListenerDeps, "environment" | "skills" | "roots">,
  local: Principal,
): Pick<Host, "capabilities" | "skills" | "roots"> => {
  const { id: by, workspace } = local;
  return {
    capabilities: {
      list: async () => environment.declared(),
      declare: (declared) => environment.declare(declared, by),
    },
    skills: {
      list: async (filter) => skills.list(workspace, filter),
      get: async (name) => {
        const skill = skills.get(workspace, name);
        if (skill !== null) return skill;
        const names = skills.list(workspace).map((each) => each.name);
        throw unknownSkill(name, nearest(name, names, 2) ?? null);
      },
      accept: (name, digest) => skills.accept(name, digest, { by, workspace }),
    },
    roots: {
      list: async () => rootsSeen(roots(local)),
      resolve: async (path) => {
        try {
          return roots(local).resolve(path);
        } catch (error) {
          throw error instanceof WorkspaceResolveError ? unresolvedPath(error) : error;
        }
      },
    },
  };
};

const unknownSkill = (name: string, near: string | null): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill ${JSON.stringify(name.slice(0, 64))}.${near === null ? "" : ` Did you mean ${JSON.stringify(near)}?`}`,
    next: "List them: bailiwick skill list",
  });
