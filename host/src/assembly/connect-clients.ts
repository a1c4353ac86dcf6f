/** The MCP clients that can be told about this host: where their files are, and how an entry looks there. Pure. */
import { posix, win32 } from "node:path";

export interface ClientPlaces {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How the client comes to the host. */
export interface Way {
  /** The address of `/mcp`. */
  readonly url: string;
  /** Null: none is asked for. */
  readonly key: string | null;
  /** The command that speaks MCP on its standard streams. */
  readonly command: readonly string[];
}

export interface Client {
  readonly name: string;
  readonly label: string;
  /** `http`: with a key of its own. `stdio`: it starts a process, which is the local user. */
  readonly by: "http" | "stdio";
  /** Null: an entry is only ever printed. */
  readonly file: ((places: ClientPlaces) => string) | null;
  /** The member of its file that holds servers. */
  readonly member: "mcpServers" | "servers";
  readonly entry: (way: Way) => object;
  /** Where an entry is no JSON. */
  readonly text?: (way: Way) => string;
  /** What to do in the client then. */
  readonly next: string;
}

const headers = (key: string | null): object => (key === null ? {} : { headers: { Authorization: `Bearer ${key}` } });

const pathOf = ({ platform }: ClientPlaces): typeof posix => (platform === "win32" ? win32 : posix);

/** Where programs of this system keep their settings. */
const settingsDir = (places: ClientPlaces, folder: string): string => {
  const { platform, home, env } = places;
  const path = pathOf(places);
  if (platform === "darwin") return path.join(home, "Library", "Application Support", folder);
  if (platform === "win32") return path.join(env["APPDATA"] || path.join(home, "AppData", "Roaming"), folder);
  return path.join(env["XDG_CONFIG_HOME"] || path.join(home, ".config"), folder);
};

const inHome =
  (...parts: readonly string[]) =>
  (places: ClientPlaces): string =>
    pathOf(places).join(places.home, ...parts);

const stdio = ({ command: [command = "bailiwick", ...args] }: Way): object => ({ command, args });

export const CLIENTS: readonly Client[] = [
  {
    name: "claude-code",
    label: "Claude Code",
    by: "http",
    file: (places) => pathOf(places).join(places.env["CLAUDE_CONFIG_DIR"] || places.home, ".claude.json"),
    member: "mcpServers",
    entry: ({ url, key }) => ({ type: "http", url, ...headers(key) }),
    next: "Start Claude Code anew; /mcp lists it.",
  },
  {
    name: "claude-desktop",
    label: "Claude Desktop",
    by: "stdio",
    file: (places) => pathOf(places).join(settingsDir(places, "Claude"), "claude_desktop_config.json"),
    member: "mcpServers",
    entry: stdio,
    next: "Quit Claude Desktop and start it anew.",
  },
  {
    name: "cursor",
    label: "Cursor",
    by: "http",
    file: inHome(".cursor", "mcp.json"),
    member: "mcpServers",
    entry: ({ url, key }) => ({ url, ...headers(key) }),
    next: "Cursor lists it in its settings, under MCP.",
  },
  {
    name: "vscode",
    label: "VS Code",
    by: "http",
    file: (places) => pathOf(places).join(settingsDir(places, "Code"), "User", "mcp.json"),
    member: "servers",
    entry: ({ url, key }) => ({ type: "http", url, ...headers(key) }),
    next: "In VS Code run the command MCP: List Servers.",
  },
  {
    name: "windsurf",
    label: "Windsurf",
    by: "http",
    file: inHome(".codeium", "windsurf", "mcp_config.json"),
    member: "mcpServers",
    entry: ({ url, key }) => ({ serverUrl: url, ...headers(key) }),
    next: "In Windsurf refresh the list of MCP servers.",
  },
  {
    name: "codex",
    label: "Codex",
    by: "http",
    file: null,
    member: "mcpServers",
    entry: ({ url, key }) => ({ url, ...headers(key) }),
    text: ({ url, key }) =>
      [
        "[mcp_servers.bailiwick]",
        `url = ${JSON.stringify(url)}`,
        ...(key === null ? [] : [`http_headers = { "Authorization" = ${JSON.stringify(`Bearer ${key}`)} }`]),
      ].join("\n"),
    next: "Put it into ~/.codex/config.toml, which is no JSON and so is not written here.",
  },
  {
    name: "generic",
    label: "any other client",
    by: "http",
    file: null,
    member: "mcpServers",
    entry: ({ url, key }) => ({ type: "http", url, ...headers(key) }),
    next: "Put it where the client keeps its servers. One that can only start a process: bailiwick mcp",
  },
];
