/** The configuration a command works with; what is odd about it is said on stderr. Throws ConfigError. */
import { formatFinding } from "@bailiwick/contract";
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
  const loaded = loadConfig(configOptions(context));
  for (const warning of loaded.warnings) {
    context.terminal.note(context.terminal.notePaint.yellow(`${loaded.file ?? "configuration"} ${formatFinding(warning)}`));
  }
  return loaded;
};
