/** The configuration a command works with. What is odd about it is said by `serve` and `doctor`. Throws ConfigError. */
import type { FindConfigOptions } from "../assembly/find-config.ts";
import { loadConfig, type LoadedConfig } from "../assembly/load-config.ts";
import { isWorkspaceId } from "../kernel/workspace.ts";
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

export const openConfig = (context: CommandContext): LoadedConfig => loadConfig(configOptions(context));

/** The workspace that was asked for, as options of others name it; empty: one's own. */
export const inWorkspace = (context: CommandContext): { readonly workspace?: string } => {
  const workspace = textFlag(context, "workspace");
  if (workspace === undefined) return {};
  if (isWorkspaceId(workspace)) return { workspace };
  throw new UsageError(
    `"${workspace}" is no id of a workspace.`,
    "Ids are ws_ and up to 64 of a-z, 0-9 and _: --workspace ws_default",
  );
};
