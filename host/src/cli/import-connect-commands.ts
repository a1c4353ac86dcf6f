/** The commands that take over from other programs, tell them about this host, and try skills out. */
import type { Command } from "./command.ts";

const importCommand: Command = {
  name: "import",
  summary: "take bundles, settings, skills and conversations over from NimbleBrain, or servers from an MCP client",
  usage: "<directory or client config>",
  args: [1, 1],
  flags: { apply: { help: "do what the plan says (default: only show it)" } },
  more: [
    "A directory with nimblebrain.json or workspace.json, skills and conversations; or a file with mcpServers or servers",
    "(Claude Desktop, Claude Code, Cursor, Windsurf, VS Code). Nothing that is here already is overwritten.",
    "Secrets are not copied: the configuration gets ${env:NAME}, and you are told which variables to set.",
    "A running host takes the changed configuration over by itself. A second run finds all of it there.",
    "  bailiwick import ~/.nimblebrain",
    "  bailiwick import ~/.cursor/mcp.json --apply",
  ],
  load: async () => (await import("./run-import.ts")).runImport,
};

const connect: Command = {
  name: "connect",
  summary: "tell an MCP client about this host: write its entry, or print it",
  usage: "[client]",
  args: [0, 1],
  flags: {
    print: { help: "print the entry and change nothing" },
    "key-name": {
      value: "name",
      help: "what the new key is called (default: as the client); with --print a key is made",
    },
  },
  more: [
    "Without a client it lists those that it knows, and where their files are.",
    "The file is kept as it is but for the one entry, with a backup beside it. A client that speaks HTTP gets a key of",
    "its own, which stands in that file only; one that starts a process gets the command bailiwick mcp.",
    "A file that is not plain JSON is not touched: add --print.",
    "  bailiwick connect cursor",
  ],
  load: async () => (await import("./run-connect.ts")).runConnect,
};

const skillMatch: Command = {
  name: "skill match",
  summary: "show which skill a message would match and why, and which came close",
  usage: "<message>",
  args: [1, 1],
  flags: {},
  more: [
    "A name after / decides first, then triggers in load order, then at least two keywords. Nothing is run.",
    "Asks the running host if there is one, else starts the bundles for the moment.",
    '  bailiwick skill match "Write the weekly report"',
  ],
  load: async () => (await import("./run-skill-match.ts")).runSkillMatch,
};

const skillCheck: Command = {
  name: "skill check",
  summary: "check a skill's file, its folder, or a directory of skills",
  usage: "<file or folder>",
  args: [1, 1],
  flags: {},
  more: [
    "Says what keeps it from being used and what could be better, with the line. Needs no host.",
    "Exit code 1 if anything keeps a skill from being used.",
    "  bailiwick skill check skills/report.md",
  ],
  load: async () => (await import("./run-skill-check.ts")).runSkillCheck,
};

export const IMPORT_CONNECT_COMMANDS: readonly Command[] = [importCommand, connect];
export const SKILL_TRIAL_COMMANDS: readonly Command[] = [skillMatch, skillCheck];
