/**
 * `bailiwick connect <client>`: writes or prints the entry of this host for an MCP client. A client that speaks HTTP gets a key
 * of its own, which stands in its file and nowhere else.
 */
import { nearest } from "@bailiwick/contract";
import { existsSync } from "node:fs";
import { type Client, CLIENTS, type Way } from "../assembly/connect-clients.ts";
import { isOpenToOthers, readClientFile, writeClientFile } from "../assembly/connect-file.ts";
import { findHostWay, type HostWay } from "../assembly/connect-way.ts";
import type { Keys } from "../assembly/host.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isConnected } from "./is-connected.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { stdioCommand } from "./connect-command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { isSet, textFlag } from "./flags.ts";
import { inWorkspace, openConfig } from "./open-config.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { UsageError } from "./usage-error.ts";

/** What the host is called in a client's file. */
const NAME = "bailiwick";
const PLACEHOLDER = "<the key>";

export const runConnect: RunCommand = async (context) => {
  const [wanted] = context.args;
  if (wanted === undefined) return listClients(context);
  const client = CLIENTS.find(({ name }) => name === wanted);
  if (client === undefined) throw unknown(wanted);
  const way = await findHostWay(openConfig(context));
  if (client.by === "http" && !way.isRunning && !way.isLasting) {
    throw new UsageError(
      "No host is running, and http.port is 0: nobody knows yet where it will listen.",
      "Set http.port in the configuration, or start the host first: bailiwick serve",
    );
  }
  if (client.file === null || isSet(context, "print")) return print(context, client, way);
  return write(context, client, way);
};

const placesOf = ({ env, home }: CommandContext) => ({ platform: process.platform, home, env });

const unknown = (wanted: string): UsageError => {
  const names = CLIENTS.map(({ name }) => name);
  const near = nearest(wanted, names, 3);
  return new UsageError(
    `No client is called "${wanted}".${near === null ? "" : ` Did you mean "${near}"?`}`,
    `Name one of: ${names.join(" · ")}`,
  );
};

const listClients = (context: CommandContext): ExitCode => {
  const { terminal } = context;
  const rows = CLIENTS.map(({ name, label, by, file }) => {
    const path = file?.(placesOf(context)) ?? null;
    return { name, label, by, file: path, exists: path !== null && existsSync(path) };
  });
  if (context.json) {
    terminal.raw(`${JSON.stringify({ clients: rows }, null, 2)}\n`);
    return EXIT.done;
  }
  const cells = rows.map(({ name, label, by, file, exists }) => [
    name,
    label,
    by,
    file === null ? "the entry is printed" : `${file}${exists ? "" : " (not there yet)"}`,
  ]);
  for (const line of renderTable([["client", "is", "by", "file"], ...cells], { width: terminal.width }))
    terminal.out(line);
  terminal.note("Connect one: bailiwick connect <client>");
  return EXIT.done;
};

const wayOf = (context: CommandContext, { url }: HostWay, key: string | null): Way => ({
  url,
  key,
  command: stdioCommand(context),
});

const needsKey = ({ by }: Client, { noAuth }: HostWay): boolean => by === "http" && !noAuth;

/** Changes nothing, unless a key is asked for by its name. */
const print = async (context: CommandContext, client: Client, host: HostWay): Promise<ExitCode> => {
  const name = textFlag(context, "key-name");
  const made = name !== undefined && needsKey(client, host) ? await makeKey(context, name) : null;
  return printWith(context, { client, host, made });
};

interface Printing {
  readonly client: Client;
  readonly host: HostWay;
  readonly made: MadeKey | null;
}

const printWith = (context: CommandContext, { client, host, made }: Printing): ExitCode => {
  const { terminal } = context;
  const way = wayOf(context, host, needsKey(client, host) ? (made?.secret ?? PLACEHOLDER) : null);
  const entry = client.entry(way);
  if (context.json) {
    const file = client.file?.(placesOf(context)) ?? null;
    terminal.raw(`${JSON.stringify({ client: client.name, file, written: false, name: NAME, entry }, null, 2)}\n`);
  } else {
    terminal.raw(`${client.text?.(way) ?? JSON.stringify({ [client.member]: { [NAME]: entry } }, null, 2)}\n`);
  }
  terminal.note(client.file === null ? client.next : `It belongs into ${client.file(placesOf(context))}`);
  if (way.key === PLACEHOLDER)
    terminal.note(`Make a key for ${PLACEHOLDER}: bailiwick key create --name ${client.name}`);
  if (made !== null)
    terminal.note(`The key ${made.name} is shown this once. End it with: bailiwick key revoke ${made.name}`);
  if (client.by === "http") noteHost(context, host);
  return EXIT.done;
};

interface MadeKey {
  readonly name: string;
  readonly secret: string;
}

const makeKey = (context: CommandContext, name: string): Promise<MadeKey> =>
  reach(context, "none", async ({ keys }) => {
    const { secret } = await keys.create({ name, ...inWorkspace(context) });
    return { name, secret };
  });

const write = async (context: CommandContext, client: Client, host: HostWay): Promise<ExitCode> => {
  const file = client.file?.(placesOf(context)) ?? "";
  const put = { member: client.member, name: NAME };
  const found = await readClientFile(file, put).catch((error: unknown) => {
    // What cannot be written can still be put there by hand.
    if (error instanceof Refusal && !context.json) printWith(context, { client, host, made: null });
    throw error;
  });
  const wanted = textFlag(context, "key-name");
  const isThere = isConnected(
    found.before,
    client.entry(wayOf(context, host, needsKey(client, host) ? PLACEHOLDER : null)),
  );
  if (isThere && wanted === undefined) return done(context, { client, file, host, changed: false });
  const wasOpen = await isOpenToOthers(file);
  const save = (key: string | null): Promise<string | null> =>
    writeClientFile(found, { ...put, entry: client.entry(wayOf(context, host, key)) });
  const end = { client, file, host, changed: true, replaced: found.before !== null, wasOpen };
  if (!needsKey(client, host)) return done(context, { ...end, backup: await save(null) });
  return reach(context, "none", async ({ keys }) => {
    const name = wanted ?? (await freeName(keys, client.name));
    const { secret } = await keys.create({ name, ...inWorkspace(context) });
    try {
      return done(context, { ...end, key: name, backup: await save(secret) });
    } catch (error) {
      await keys.revoke(name);
      throw error;
    }
  });
};

/** Names of revoked keys are not used again. */
const freeName = async (keys: Keys, name: string): Promise<string> => {
  const taken = new Set((await keys.list()).map((row) => row.name));
  let free = name;
  for (let at = 2; taken.has(free); at++) free = `${name}-${at}`;
  return free;
};

interface Ending {
  readonly client: Client;
  readonly file: string;
  readonly host: HostWay;
  readonly changed: boolean;
  readonly replaced?: boolean;
  readonly wasOpen?: boolean;
  readonly key?: string;
  readonly backup?: string | null;
}

const done = (context: CommandContext, ending: Ending): ExitCode => {
  const { terminal } = context;
  const { client, file, host, changed, replaced = false, wasOpen = false, key = null, backup = null } = ending;
  if (context.json) {
    const shown = { client: client.name, file, written: changed, name: NAME, url: host.url, key, backup };
    terminal.raw(`${JSON.stringify(shown, null, 2)}\n`);
    return EXIT.done;
  }
  if (!changed) {
    terminal.out(`${client.label} is connected already: "${NAME}" in ${file}`);
    terminal.note(`For a new key: bailiwick connect ${client.name} --key-name <name>`);
    return EXIT.done;
  }
  terminal.out(`${replaced ? "Replaced" : "Wrote"} "${NAME}" in ${file}`);
  if (backup !== null) terminal.note(`As it was: ${backup}`);
  if (key !== null) {
    terminal.note(`The key ${key} stands in that file and nowhere else. End it with: bailiwick key revoke ${key}`);
    if (wasOpen) terminal.note("Others could read the file; now only you can.");
  }
  terminal.note(`→ ${client.next}`);
  if (client.by === "http") noteHost(context, host);
  return EXIT.done;
};

const noteHost = ({ terminal }: CommandContext, { isRunning, isLasting }: HostWay): void => {
  if (!isRunning) terminal.note("No host is running now. Start it: bailiwick serve");
  else if (!isLasting) terminal.note("It listens elsewhere than http.port says; after another start connect again.");
};
