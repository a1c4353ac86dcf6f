/** The manifest that a package of npm would have: made from its `package.json` and from the program that is to run. */
import { open, readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isObject } from "../shapes.ts";
import { refuseSource } from "./refuse-source.ts";
import type { NpmStart } from "./registry.ts";

export interface NpmManifestOptions {
  /** Where `node_modules` lies. */
  readonly folder: string;
  readonly package: string;
  /** The entry's own; `bin:<x>` in the first place names the program. */
  readonly args: readonly string[];
  /** The entry's own variables: what they set, nobody need be asked for. */
  readonly env: Readonly<Record<string, string>>;
  readonly start: NpmStart;
}

const CHOICE = "bin:";
const HEAD_BYTES = 256;

export const makeNpmManifest = async (options: NpmManifestOptions): Promise<Record<string, unknown>> => {
  const { folder, package: name, start } = options;
  const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
  const facts: unknown = JSON.parse(text);
  if (!isObject(facts))
    throw refuseSource(`${name} has no package.json that can be read.`, "Use another version of it.");
  const [choice, ...others] = options.args;
  const chosen = choice?.startsWith(CHOICE) === true ? choice.slice(CHOICE.length) : null;
  const program = await findProgram(chooseBin(facts, name, chosen), options);
  const args = [...start.args, ...(chosen === null ? options.args : others)];
  const entry = `\${__dirname}/${program.path}`;
  const unset = ([key]: [string, unknown]): boolean => options.env[key] === undefined;
  const config = {
    ...(program.isNode ? { command: "node", args: [entry, ...args] } : { command: entry, args }),
    env: Object.fromEntries(Object.entries(start.env).filter(unset)),
  };
  return {
    manifest_version: "0.3",
    name,
    version: String(facts["version"]),
    description: typeof facts["description"] === "string" ? facts["description"] : name,
    author: { name: authorOf(facts["author"]) ?? name },
    server: { type: program.isNode ? "node" : "binary", entry_point: program.path, mcp_config: config },
    user_config: Object.fromEntries(Object.entries(start.userConfig).filter(unset)),
    ...(start.meta === null ? {} : { _meta: start.meta }),
  };
};

const chooseBin = (facts: Readonly<Record<string, unknown>>, name: string, chosen: string | null): string => {
  const bins = binsOf(facts["bin"], name);
  const names = Object.keys(bins);
  const [only] = names;
  if (only === undefined) {
    throw refuseSource(`${name} has no program (bin) that could be started.`, "Use a package that is an MCP server.");
  }
  if (chosen === null && names.length > 1) {
    throw refuseSource(
      `${name} has several programs: ${names.join(", ").slice(0, 300)}.`,
      `Name one of them first in the entry's "args": ["${CHOICE}${only}"]`,
    );
  }
  const bin = Object.hasOwn(bins, chosen ?? only) ? bins[chosen ?? only] : undefined;
  if (bin !== undefined) return bin;
  throw refuseSource(
    `${name} has no program "${(chosen ?? "").slice(0, 100)}"; it has ${names.join(", ").slice(0, 300)}.`,
    `Write "args": ["${CHOICE}${only}"]`,
  );
};

const binsOf = (bin: unknown, name: string): Record<string, string> => {
  if (typeof bin === "string") return { [name.slice(name.indexOf("/") + 1)]: bin };
  if (!isObject(bin)) return {};
  return Object.fromEntries(
    Object.entries(bin).filter((each): each is [string, string] => typeof each[1] === "string"),
  );
};

interface Program {
  /** Below the folder, with `/`. */
  readonly path: string;
  readonly isNode: boolean;
}

const findProgram = async (bin: string, { folder, package: name }: NpmManifestOptions): Promise<Program> => {
  const home = await realpath(join(folder, "node_modules", name));
  const file = await realpath(join(home, bin)).catch(() => null);
  if (file === null || !file.startsWith(home + sep)) {
    throw refuseSource(
      `The program ${bin.slice(0, 200)} of ${name} is not in the package.`,
      "Use another version of it.",
    );
  }
  const path = relative(await realpath(folder), file)
    .split(sep)
    .join("/");
  return { path, isNode: /\.[cm]?js$/.test(file) || /^#!.*\bnode\b/.test(await headOf(file)) };
};

const headOf = async (file: string): Promise<string> => {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await handle.close();
  }
};

const authorOf = (author: unknown): string | null => {
  const name = isObject(author) ? author["name"] : author;
  return typeof name === "string" && name !== "" ? name : null;
};
