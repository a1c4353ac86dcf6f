/** Capabilities, skills and roots for one who is known beforehand, in one workspace: the local user of this process. */
import { WorkspaceResolveError } from "@bailiwick/contract";
import type { Principal } from "../kernel/principal.ts";
import { rootsSeen } from "../kernel/roots-seen.ts";
import { unresolvedPath } from "../kernel/unresolved-path.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import type { Host } from "./host.ts";
import { unknownSkill } from "./unknown-skill.ts";

export const controlGates = (
  { environment, skills, roots }: Pick<ListenerDeps, "environment" | "skills" | "roots">,
  local: Principal,
): Pick<Host, "capabilities" | "skills" | "roots"> => {
  const { id: by, workspace } = local;
  return {
    capabilities: {
      list: async () => environment.declared(),
      declare: (declared, before) => environment.declare(declared, by, before),
    },
    skills: {
      list: async (filter) => (await skills.list(local, filter)).skills,
      warnings: async () => (await skills.list(local)).warnings,
      get: async (name) => {
        const skill = await skills.get(local, name);
        if (skill !== null) return skill;
        const { skills: all } = await skills.list(local);
        const names = all.map((each) => each.name);
        throw unknownSkill(name, names);
      },
      accept: (name, digest) => skills.accept(name, digest, { by, workspace }),
    },
    roots: {
      list: async () => rootsSeen(roots(local)),
      resolve: async (path) => {
        const list = roots(local);
        try {
          return list.resolve(path);
        } catch (error) {
          throw error instanceof WorkspaceResolveError ? unresolvedPath(error, { roots: list }) : error;
        }
      },
    },
  };
};
