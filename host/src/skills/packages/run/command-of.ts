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

/** `script`: absolute and real. */
export const commandOf = (kind: ScriptKind, script: string, tool: string): ScriptCommand => {
  switch (kind) {
    case "python": {
      const { file, folder } = locateRunner();
      return { command: "python3", args: ["-B", file, script, tool], support: [folder] };
    }
    case "node":
    case "typescript":
      return { command: process.execPath, args: [...QUIET, script, tool], support: [] };
    case "shell":
      return { command: "/bin/sh", args: [script, tool], support: [] };
    case "program":
      return { command: script, args: [tool], support: [] };
  }
};
