/** The configuration a command works with. What is odd about it is said by `serve` and `doctor`. Throws ConfigError. */
import type { FindConfigOptions } from "../assembly/find-config.ts";
import { loadConfig, type LoadedConfig } from "../assembly/load-config.ts";
import type { CommandContext } from "./command.ts";
import { textFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

export const configOptions = (context: CommandContext): FindConfigOptions => ({
  configFlag: textFlag(context, "config"),
  workDirFlag: textFlag(context, "workdir"),
  env: context.env,
  cwd: context.cwd,
  home: context.home,
});

export const openConfig = (context: CommandContext): LoadedConfig => {
  const workspace = textFlag(context, "workspace");
  if (workspace !== undefined && workspace !== "ws_default") {
    throw new UsageError(
      `There is no workspace "${workspace}": further workspaces are not available yet.`,
      "Leave --workspace out, or give ws_default.",
    );
  }
  return loadConfig(configOptions(context));
};
