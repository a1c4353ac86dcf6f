/** By what a script is run. No shell in between; its argument is the tool's name. */
import type { ScriptKind } from "../skill-package.ts";
import { locateRunner } from "./locate-runner.ts";

export interface ScriptCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What else it has to be able to read. */
  readonly support: readonly string[];
}

/** Node would tell on stderr, where a script's last words are looked for, what it thinks of the file. */
const QUIET = ["--disable-warning=ExperimentalWarning", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"];

const viaNode = (script: string, tool: string): ScriptCommand => ({
  command: process.execPath,
  args: [...QUIET, script, tool],
  support: [],
});

const COMMANDS: Readonly<Record<ScriptKind, (script: string, tool: string) => ScriptCommand>> = {
  python: (script, tool) => {
    const { file, folder } = locateRunner();
    return { command: "python3", args: ["-B", file, script, tool], support: [folder] };
  },
  node: viaNode,
  typescript: viaNode,
  shell: (script, tool) => ({ command: "/bin/sh", args: [script, tool], support: [] }),
  program: (script, tool) => ({ command: script, args: [tool], support: [] }),
};

/** `script`: absolute and real. */
export const commandOf = (kind: ScriptKind, script: string, tool: string): ScriptCommand =>
  COMMANDS[kind](script, tool);
