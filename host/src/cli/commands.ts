/** Every command there is, in the order in which help lists them. */
import { BUNDLE_COMMANDS } from "./bundle-commands.ts";
import { CHAT_COMMANDS } from "./chat-commands.ts";
import type { Command, Flag } from "./command.ts";
import { EVIDENCE_COMMANDS } from "./evidence-commands.ts";
import { GATE_COMMANDS } from "./gate-commands.ts";
import { GENERATOR_COMMANDS } from "./generator-commands.ts";
import { GOVERNANCE_COMMANDS, HOST_KEY_COMMANDS } from "./governance-commands.ts";
import { IMPORT_CONNECT_COMMANDS, SKILL_TRIAL_COMMANDS } from "./import-connect-commands.ts";

export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  config: { value: "file", help: "the configuration file (default: bailiwick.json here, then in ~/.bailiwick)" },
  workdir: { value: "dir", help: "where all state lies (default: ~/.bailiwick)" },
  workspace: { value: "id", help: "the workspace to act in (default: ws_default)" },
  json: { help: "write the result as JSON" },
  debug: { help: "say more on stderr, and show where a fault came from" },
  help: { short: "h", help: "show this" },
};

const serve: Command = {
  name: "serve",
  summary: "run the host: its MCP endpoint, its REST API and all bundles",
  usage: "",
  args: [0, 0],
  flags: {
    host: { value: "address", help: "the address to listen on (default: http.host of the configuration, 127.0.0.1)" },
    port: { value: "number", help: "the port; 0 takes any free one (default: http.port, 7420)" },
    "no-auth": { help: "ask for no credential; for test suites, on loopback only" },
  },
  more: [
    "Ends on Ctrl-C or SIGTERM; a second one ends it at once.",
    "With --json it writes one event a line: listening, provider, stopped.",
  ],
  load: async () => (await import("./run-serve.ts")).runServe,
};

const mcp: Command = {
  name: "mcp",
  summary: "speak MCP on stdin and stdout, for clients that can only start a process",
  usage: "",
  args: [0, 0],
  flags: {
    provider: { value: "name", help: "one provider alone, under its own names (default: all of them)" },
  },
  more: [
    "Talks to the running host if there is one, else runs the host itself until its input ends.",
    "Only the protocol goes to standard output; all else to standard error.",
    `  {"mcpServers":{"bailiwick":{"command":"bailiwick","args":["mcp"]}}}`,
  ],
  load: async () => (await import("./run-mcp.ts")).runMcp,
};

const tools: Command = {
  name: "tools",
  summary: "list the tools you may call, with their state",
  usage: "[query]",
  args: [0, 1],
  flags: { satisfied: { help: "only those of which no environment capability is missing" } },
  more: ["Asks the running host if there is one, else starts the bundles for the moment.", "  bailiwick tools file"],
  load: async () => (await import("./run-tools.ts")).runTools,
};

const call: Command = {
  name: "call",
  summary: "call one tool through every check, and record it",
  usage: "<provider__tool> [json | @file | -]",
  args: [1, 2],
  flags: {
    wait: { value: "seconds", help: "how long to wait for a person's approval, up to 300 (default: not at all)" },
  },
  more: [
    "The arguments are one JSON object: as text, from a file (@file), or from standard input (-).",
    "Exit code: 0 done, 1 the tool failed, 3 refused, 4 waiting for approval, 5 outcome unknown.",
    `  bailiwick call everything__echo '{"message":"hello"}'`,
  ],
  load: async () => (await import("./run-call.ts")).runCall,
};

const doctor: Command = {
  name: "doctor",
  summary: "check configuration, files, bundles and the running host, each with a fix",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["Changes nothing. Exit code 1 if anything fails."],
  load: async () => (await import("./run-doctor.ts")).runDoctor,
};

const reload: Command = {
  name: "reload",
  summary: "have the running host read its configuration again, without dropping anybody",
  usage: "",
  args: [0, 0],
  flags: {},
  more: [
    "The host notices a changed file by itself; this waits for it and says what became of it.",
    "A file with errors changes nothing: the running configuration stays. Exit code 2 or 3 then.",
  ],
  load: async () => (await import("./run-reload.ts")).runReload,
};

const keyCreate: Command = {
  name: "key create",
  summary: "make a named API key; its secret is shown once",
  usage: "--name <name>",
  args: [0, 0],
  flags: {
    name: { value: "name", help: "a-z, 0-9 and -; the key is revoked by it" },
    as: { value: "kind:name", help: "who the key is: agent:…, service:… or person:… (default: agent:<name>)" },
    for: { value: "person:name", help: "on whose behalf it acts (default: person:owner)" },
    scope: { value: "glob", multiple: true, help: "a tool it may name, as files__*; repeatable (default: all)" },
    permission: { value: "name", multiple: true, help: "a permission, as evidence:read; repeatable (default: none)" },
  },
  more: ["  bailiwick key create --name ci --scope 'files__*'"],
  load: async () => (await import("./run-key-create.ts")).runKeyCreate,
};

const keyList: Command = {
  name: "key list",
  summary: "list the named keys",
  usage: "",
  args: [0, 0],
  flags: {},
  more: [],
  load: async () => (await import("./run-key-list.ts")).runKeyList,
};

const keyRevoke: Command = {
  name: "key revoke",
  summary: "end a key; it stops working at once",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [],
  load: async () => (await import("./run-key-revoke.ts")).runKeyRevoke,
};

export const COMMANDS: readonly Command[] = [
  serve,
  mcp,
  ...CHAT_COMMANDS,
  tools,
  call,
  ...GOVERNANCE_COMMANDS,
  ...IMPORT_CONNECT_COMMANDS,
  doctor,
  reload,
  ...BUNDLE_COMMANDS,
  ...GATE_COMMANDS,
  ...SKILL_TRIAL_COMMANDS,
  ...GENERATOR_COMMANDS,
  keyCreate,
  keyList,
  keyRevoke,
  ...HOST_KEY_COMMANDS,
  ...EVIDENCE_COMMANDS,
];
