/** The commands that install, remove and set up bundles. */
import type { Command } from "./command.ts";

const IN_PROCESS = "Asks the running host if there is one, else does it in this process.";

export const search: Command = {
  name: "bundle search",
  summary: "search the registries for bundles",
  usage: "[word]...",
  args: [0, 20],
  flags: { limit: { value: "count", help: "how many at most, 1 to 100 (default: 20)" } },
  more: [
    "Searches registries of the configuration, in order. One that cannot be reached is named and fails nothing.",
    "  bailiwick bundle search postgres",
  ],
  load: async () => (await import("./run-bundle-search.ts")).runBundleSearch,
};

export const add: Command = {
  name: "bundle add",
  summary: "install a bundle, start it and write it into the configuration",
  usage: "<name> | --path <dir or .mcpb> | --url <url> --name <name>",
  args: [0, 1],
  flags: {
    path: { value: "path", help: "a directory with manifest.json, or a .mcpb file" },
    url: { value: "url", help: "an MCP server elsewhere" },
    name: { value: "name", help: "what the tools of --url begin with" },
    version: { value: "version", help: "exactly this version of a name (default: the newest)" },
    "server-name": { value: "name", help: "what its tools begin with (default: from its package)" },
    env: { value: "K=V", multiple: true, help: "a variable of its process; repeatable" },
    set: { value: "key=value", multiple: true, help: "a setting that its manifest asks for; repeatable" },
    auth: { value: "bearer|none", help: "how --url is to be called (default: none)" },
    "token-env": { value: "variable", help: "the environment variable of the host that holds the token" },
  },
  more: [
    "Shows what is accepted with it: package, version, origin, digest, trust score, host extensions and tools.",
    "A failure leaves neither a process nor an entry. Exit code 3 if it is refused.",
    `${IN_PROCESS} Secrets: name a variable of the host, as below; they are kept out of the file.`,
    "  bailiwick bundle add @acme/notes",
    "  bailiwick bundle add npm:@modelcontextprotocol/server-memory --server-name memory",
    "  bailiwick bundle add --path ./my-bundle --set 'api_key=${env:NOTES_KEY}'",
    "  bailiwick bundle add --url https://mcp.example.com/mcp --name crm --auth bearer --token-env CRM_TOKEN",
  ],
  load: async () => (await import("./run-bundle-add.ts")).runBundleAdd,
};

export const remove: Command = {
  name: "bundle remove",
  summary: "stop a bundle and take it out of the configuration; its data is kept",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [
    "Calls that are out have 10 s to end. A protected one is refused: exit code 3. The answer names the data directory.",
    IN_PROCESS,
    "  bailiwick bundle remove notes",
  ],
  load: async () => (await import("./run-bundle-remove.ts")).runBundleRemove,
};

export const inspect: Command = {
  name: "bundle inspect",
  summary: "show all that is known of a bundle: origin, digest, extensions, settings, tools",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: ["Values of settings are not shown.", IN_PROCESS, "  bailiwick bundle inspect notes"],
  load: async () => (await import("./run-bundle-inspect.ts")).runBundleInspect,
};

export const status: Command = {
  name: "bundle status",
  summary: "show how the bundles are: health, time up, restarts, held tools, sandbox",
  usage: "[name]",
  args: [0, 1],
  flags: {},
  more: [
    "degraded: it runs, but its last calls timed out or tools are held. down: it does not run.",
    IN_PROCESS,
    "  bailiwick bundle status notes",
  ],
  load: async () => (await import("./run-bundle-status.ts")).runBundleStatus,
};

export const configure: Command = {
  name: "bundle configure",
  summary: "store settings of a bundle and start it again, or show which it has",
  usage: "<name> [key=value]...",
  args: [1, 100],
  flags: {},
  more: [
    "key=value is text, key:=json anything else (null takes the value out), key=- is read from standard input or typed",
    "unseen, which is the way for secrets. Stored values are never shown.",
    IN_PROCESS,
    "  bailiwick bundle configure notes folder=/home/me/notes limit:=5",
    "  pass show notes | bailiwick bundle configure notes api_key=-",
  ],
  load: async () => (await import("./run-bundle-configure.ts")).runBundleConfigure,
};

export const accept: Command = {
  name: "bundle accept",
  summary: "show what a bundle's tools say otherwise than was accepted, and accept it",
  usage: "<name> [tool]...",
  args: [1, 1000],
  flags: { yes: { help: "accept what is shown without being asked" } },
  more: [
    "A tool whose definition changed is held: it is listed as it was and cannot be called until somebody accepts.",
    "Asks before it accepts; where nobody can be asked, --yes is needed. Exit code 3 if the answer was no.",
    IN_PROCESS,
    "  bailiwick bundle accept notes search",
  ],
  load: async () => (await import("./run-bundle-accept.ts")).runBundleAccept,
};
