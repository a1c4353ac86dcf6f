/** What `serve` prints once it listens: where it is, with which key, how to connect, what comes up. Pure. */
import { renderTable } from "./table.ts";
import type { Paint } from "./terminal.ts";

export interface ServeFacts {
  readonly version: string;
  readonly origin: string;
  readonly mcpUrl: string;
  readonly chpUrls: readonly string[];
  readonly noAuth: boolean;
  /** Only this machine reaches it. */
  readonly loopback: boolean;
  readonly keyFile: string;
  /** Given once, when it was just made and a person is looking. */
  readonly key: string | null;
  readonly workDir: string;
  readonly configFile: string | null;
  /** Where a configuration would be put when there is none. */
  readonly configPlace: string;
  /** Names of the bundles of the file, and of those that come with the host. */
  readonly configured: readonly string[];
  readonly builtIn: readonly string[];
  readonly pendingApprovals: number;
}

export const serveBlock = (facts: ServeFacts, paint: Paint): readonly string[] => {
  const where = facts.loopback ? "on this machine only" : "and other machines may reach it";
  return [
    `${paint.bold(`Bailiwick ${facts.version}`)} is listening, ${where}.`,
    "",
    ...rowsOf(facts, paint),
    "",
    ...connectLines(facts, paint),
    "",
    ...bundleLines(facts),
    ...approvalLines(facts, paint),
    paint.dim("Ctrl-C stops it."),
  ];
};

const rowsOf = (facts: ServeFacts, paint: Paint): string[] => {
  const rows = [
    ["MCP endpoint", facts.mcpUrl],
    ["REST", `${facts.origin}/v1/tools`],
    ["CHP", facts.chpUrls.join(", ")],
    ["Chat", "bailiwick chat, in another terminal"],
    ["Key", keyText(facts)],
    ["Work directory", facts.workDir],
    ["Configuration", facts.configFile ?? `none; all defaults (it would be ${facts.configPlace})`],
  ];
  return renderTable(
    rows.map(([name = "", value = ""]) => [`  ${name}`, value]),
    { width: Number.POSITIVE_INFINITY, paint: (cell, column) => (column === 0 ? paint.dim(cell) : cell) },
  );
};

const keyText = ({ noAuth, key, keyFile }: ServeFacts): string => {
  if (noAuth) return "none is asked for (--no-auth)";
  return key === null ? `in ${keyFile}` : `${key}  (shown this once; it is kept in ${keyFile})`;
};

const connectLines = (facts: ServeFacts, paint: Paint): string[] => {
  const header = facts.noAuth ? "" : ` -H ${authorization(facts.keyFile)}`;
  const client = facts.noAuth ? "" : ` --header ${authorization(facts.keyFile)}`;
  return [
    facts.noAuth
      ? "Connect an MCP client: give it the MCP endpoint as URL (Streamable HTTP)."
      : "Connect an MCP client: give it the MCP endpoint as URL (Streamable HTTP) and the header",
    ...(facts.noAuth ? [] : ["  Authorization: Bearer <the key>"]),
    "For example",
    `  ${paint.bold(`claude mcp add --transport http bailiwick ${facts.mcpUrl}${client}`)}`,
    `  ${paint.bold(`curl${header} ${facts.origin}/v1/tools`)}`,
  ];
};

/** In double quotes the shell still runs `cat`; so the key itself is in no history file. */
const authorization = (keyFile: string): string => `"Authorization: Bearer $(cat ${quote(keyFile)})"`;

const quote = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

const bundleLines = ({ configured, builtIn, configFile, configPlace }: ServeFacts): string[] => {
  const names = [...builtIn, ...configured];
  const count = names.length === 1 ? "1 bundle" : `${names.length} bundles`;
  const starting = names.length === 0 ? [] : [`Starting ${count}: ${names.join(", ")}`];
  if (configured.length > 0) return starting;
  return [
    ...starting,
    `No bundle is configured yet. Add one while this runs; it is written to ${configFile ?? configPlace}:`,
    "  bailiwick bundle add --path /path/to/a/directory/with/manifest.json",
    "  bailiwick bundle add --url https://example.com/mcp --name example",
  ];
};

const approvalLines = ({ pendingApprovals: count }: ServeFacts, paint: Paint): string[] => {
  if (count === 0) return [];
  const wait = count === 1 ? "1 call waits" : `${count} calls wait`;
  return [`${wait} for a person's approval. See and decide: ${paint.bold("bailiwick approve")}`];
};
