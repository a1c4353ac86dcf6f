/** Skills and packages of the default workspace as they are on disk. Reads only; whether packages were accepted the host knows. */
import { join } from "node:path";
import { AgentSkillLibrary } from "../../agent/skills/agent-skill-library.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { PackageLibrary } from "../../skills/packages/package-library.ts";
import type { LoadedConfig } from "../load-config.ts";
import { skillDirs } from "../skill-dirs.ts";
import type { SkillsSeen } from "./check-skills.ts";

export const readSkills = async (
  { config, baseDir, workDir }: Pick<LoadedConfig, "config" | "baseDir" | "workDir">,
  home: string,
): Promise<SkillsSeen> => {
  const workspaceDir = join(workDir, "workspaces", DEFAULT_WORKSPACE);
  const dirs = skillDirs(config.skillDirs, { baseDir, home, workspaceDir });
  const found = await new PackageLibrary().load(dirs);
  const { warnings } = await new AgentSkillLibrary().load(dirs);
  return {
    packages: [...found.packages.values()].map(({ name, tools, usable, diagnostics }) => ({
      name,
      tools: tools.map((tool) => `${name}__${tool.name}`),
      state: usable ? "ready" : "broken",
      reason: null,
      diagnostics,
    })),
    notes: [...found.notes.values()].flat(),
    warnings,
  };
};
