/** How a client starts this very program as an MCP server: by absolute paths, since it may know no search path. */
import { resolve } from "node:path";
import { findConfig } from "../assembly/find-config.ts";
import type { CommandContext } from "./command.ts";
import { textFlag } from "./flags.ts";
import { configOptions, inWorkspace } from "./open-config.ts";

export const stdioCommand = (context: CommandContext): readonly string[] => {
  const { file } = findConfig(configOptions(context));
  const workDir = textFlag(context, "workdir") ?? context.env["BAILIWICK_WORK_DIR"];
  const { workspace } = inWorkspace(context);
  return [
    process.execPath,
    resolve(process.argv[1] ?? "bailiwick"),
    "mcp",
    // The client's own working directory is another one.
    ...(file === null ? [] : ["--config", file]),
    ...(workDir === undefined ? [] : ["--workdir", resolve(context.cwd, workDir)]),
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
  ];
};
