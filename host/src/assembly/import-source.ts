/** Reads what is to be imported: a directory of NimbleBrain, or the file of an MCP client. Changes nothing. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isObject } from "../kernel/is-object.ts";
import { Refusal } from "../kernel/refusal.ts";
import { findConversations, findSkills } from "./import-files.ts";
import { readJsonFile } from "./import-json.ts";
import type { ForeignConfig, ForeignServer, ImportPlace, ImportSource } from "./import-step.ts";

type Json = Readonly<Record<string, unknown>>;

const MAX_SERVERS = 500;
const CONFIGS = ["nimblebrain.json", "workspace.json"];

export const readImportSource = async (path: string, place: ImportPlace): Promise<ImportSource> => {
  const real = await realpath(path).catch(() => null);
  const found = real === null ? null : await lstat(real).catch(() => null);
  if (real === null || found === null) throw no(`There is nothing at ${path}.`);
  if (found.isDirectory()) return readDirectory(real, place);
  if (!found.isFile()) throw no(`${path} is neither a file nor a directory.`);
  if (CONFIGS.includes(basename(real))) return readDirectory(dirname(real), place);
  return readClient(real);
};

const no = (message: string): Refusal =>
  new Refusal("bad_request", {
    message,
    next: "Give the directory of NimbleBrain, such as ~/.nimblebrain, or the file of an MCP client, such as ~/.cursor/mcp.json.",
  });

const readDirectory = async (path: string, place: ImportPlace): Promise<ImportSource> => {
  const configs: ForeignConfig[] = [];
  for (const name of CONFIGS) {
    const file = join(path, name);
    const value = await readJsonFile(file);
    if (value !== null) configs.push({ file, value });
  }
  const skills = await findSkills(join(path, "skills"), place);
  const conversations = await findConversations(join(path, "conversations"), place.conversationsDir);
  if (configs.length === 0 && skills === null && conversations === null) {
    throw no(`${path} has neither nimblebrain.json nor workspace.json, and no folder skills or conversations.`);
  }
  const more = (await lstat(join(path, "workspaces")).catch(() => null))?.isDirectory() === true;
  const notes = more
    ? [
        `It has workspaces of its own. Import each: bailiwick import ${join(path, "workspaces", "<id>")} --workspace <id here>`,
      ]
    : [];
  return {
    kind: "nimblebrain",
    path,
    configs,
    servers: [],
    skills: skills ?? [],
    conversations: conversations ?? [],
    notes,
  };
};

const readClient = async (path: string): Promise<ImportSource> => {
  const value = await readJsonFile(path);
  if (value === null) throw no(`There is nothing at ${path}.`);
  const baseDir = projectOf(path);
  const groups = serverGroups(value);
  if (groups.length === 0) throw no(`${path} has no "mcpServers" and no "servers".`);
  const servers = groups.flatMap((group) =>
    Object.entries(group).map(([name, each]) => ({ name, value: each, baseDir })),
  );
  if (servers.length > MAX_SERVERS) throw no(`${path} has more than ${MAX_SERVERS} servers.`);
  return {
    kind: "client",
    path,
    configs: [],
    servers: servers satisfies readonly ForeignServer[],
    skills: [],
    conversations: [],
    notes: projectNotes(value),
  };
};

/** `mcpServers` (Claude, Cursor, Windsurf), `servers` (VS Code), and `mcp.servers` in settings of VS Code. */
const serverGroups = (value: Json): readonly Json[] => {
  const { mcp } = value;
  const nested = isObject(mcp) ? mcp["servers"] : undefined;
  return [value["mcpServers"], value["servers"], nested].filter(isObject);
};

/** Claude Code keeps servers of single projects in its own file too. */
const projectNotes = ({ projects }: Json): readonly string[] => {
  if (!isObject(projects)) return [];
  const count = Object.values(projects).filter(
    (each) => isObject(each) && isObject(each["mcpServers"]) && Object.keys(each["mcpServers"]).length > 0,
  ).length;
  return count === 0 ? [] : [`Servers of ${count} single projects are left out; they belong to those projects alone.`];
};

/** `.cursor/mcp.json` and `.vscode/mcp.json` are about the folder that they lie in. */
const projectOf = (path: string): string => {
  const folder = dirname(path);
  return /^\.(?:cursor|vscode)$/.test(basename(folder)) ? dirname(folder) : folder;
};
