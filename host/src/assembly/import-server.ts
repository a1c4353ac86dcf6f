/**
 * One server of an MCP client's file, in the three shapes that those files have: an address, a package of npm, another
 * command. Clients spell them differently; what they say about approval is left behind. Pure.
 */
import { isObject } from "../kernel/is-object.ts";
import { looksSecret } from "../kernel/looks-secret.ts";
import { isAbsolute, resolve } from "node:path";
import type { ForeignServer } from "./import-step.ts";
import { readNpx } from "./import-npx.ts";
import { addressFault } from "./import-address.ts";
import { leaveModelKeys, modelKeyIn } from "./import-model-keys.ts";

interface DraftFacts {
  readonly enabled: boolean;
  readonly notes: readonly string[];
}

export interface UrlDraft extends DraftFacts {
  readonly kind: "url";
  readonly url: string;
  readonly type: "streamable-http" | "sse" | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface NpmDraft extends DraftFacts {
  readonly kind: "npm";
  readonly package: string;
  readonly version: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandDraft extends DraftFacts {
  readonly kind: "command";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type ServerDraft = UrlDraft | NpmDraft | CommandDraft;

type Json = Readonly<Record<string, unknown>>;

/** The reason why it is skipped. */
class Unusable extends Error {}

const MAX_ITEMS = 500;
/** A file that the client would look for where it runs: `./x`, `../x`, or a script. */
const RELATIVE = /^\.{1,2}[/\\]|^[\w-][\w.-]*(?:[/\\][\w.-]+)*\.(?:[cm]?[jt]s|py|sh)$/;
const APPROVING = ["autoApprove", "alwaysAllow", "trust"];
const CLIENT_ONLY = /\$\{(?:workspaceFolder|file|relativeFile|cwd|pathSeparator|selectedText|config:|command:)[^}]*\}/;

/** A text: why it cannot be taken. */
export const readServer = ({ value, baseDir }: ForeignServer): ServerDraft | string => {
  try {
    if (!isObject(value)) return "it is no object; write it as the client's documentation has it";
    return shape(value, baseDir);
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
};

const shape = (value: Json, baseDir: string): ServerDraft => {
  const notes = APPROVING.filter((key) => Object.hasOwn(value, key)).map(
    (key) => `${key} is left behind: here the policy says what needs a person's approval`,
  );
  const facts = { enabled: value["disabled"] !== true && value["enabled"] !== false, notes };
  const url = value["url"] ?? value["serverUrl"] ?? value["httpUrl"];
  if (url !== undefined) return urlDraft(url, value, facts);
  if (value["command"] === undefined) throw new Unusable("it has neither command nor url");
  return processDraft(value, baseDir, facts);
};

const urlDraft = (url: unknown, value: Json, facts: DraftFacts): UrlDraft => {
  if (typeof url !== "string") throw new Unusable("its url is no text");
  const fault = addressFault(url);
  if (fault !== null) throw new Unusable(fault);
  if (url.includes("${")) throw new Unusable("its url refers to a variable; write the address itself");
  const kind = value["type"] ?? value["transport"];
  const type = kind === "sse" ? "sse" : null;
  const { kept, notes } = leaveModelKeys(textsOf(value["headers"] ?? requestHeaders(value), "headers"), "header");
  return { kind: "url", url, type, headers: kept, ...facts, notes: [...facts.notes, ...notes, ...networkNotes(url)] };
};

const requestHeaders = ({ requestInit }: Json): unknown => (isObject(requestInit) ? requestInit["headers"] : undefined);

const networkNotes = (url: string): string[] => {
  const { protocol, hostname } = new URL(url);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === "http:" || isLocal
    ? ['it is refused until "allowInsecureRemotes" is true, since it is not https: on another machine']
    : [];
};

const processDraft = (value: Json, baseDir: string, facts: DraftFacts): ServerDraft => {
  const line = [value["command"], ...listOf(value["args"])];
  if (!line.every((each) => typeof each === "string")) throw new Unusable("its command and args are not all texts");
  const [command = "", ...args] = withoutShell(line);
  if (command.trim() === "") throw new Unusable("its command is empty");
  const given = textsOf(value["env"], "env");
  const client = [command, ...args, ...Object.values(given)].find((each) => CLIENT_ONLY.test(each));
  if (client !== undefined) {
    const [reference] = CLIENT_ONLY.exec(client) ?? [];
    throw new Unusable(`it uses ${reference?.slice(0, 60) ?? ""}, which only its client knows; write the value itself`);
  }
  if (command.includes("${")) throw new Unusable("its command refers to a variable; write the program itself");
  if (isBailiwick(command, args)) throw new Unusable("it is Bailiwick itself");
  const key = modelKeyIn(args.join("\n"));
  if (key !== null)
    throw new Unusable(`its arguments hand on ${key}, a key of a model; add it by hand if that is meant`);
  const { kept: env, notes: left } = leaveModelKeys(given, "env");
  const more = value["envFile"] === undefined ? left : [...left, "envFile is not read; set its variables in env"];
  const process = { env, ...facts, notes: [...facts.notes, ...more] };
  return npxDraft(command, args, process) ?? commandDraft({ command, args, ...process }, value, baseDir);
};

/** On Windows a client starts npx through `cmd /c`. */
const withoutShell = (line: readonly string[]): readonly string[] =>
  /^cmd(?:\.exe)?$/i.test(line[0] ?? "") && /^\/c$/i.test(line[1] ?? "") ? line.slice(2) : line;

const isBailiwick = (command: string, args: readonly string[]): boolean =>
  args.includes("mcp") && [command, ...args].some((each) => /(?:^|[/\\@])bailiwick(?:$|[/\\@])/.test(each));

type ProcessFacts = DraftFacts & { readonly env: Readonly<Record<string, string>> };

/** Null: it is no npx, or has an argument that must not stand in the configuration as it is. */
const npxDraft = (command: string, args: readonly string[], facts: ProcessFacts): ServerDraft | null => {
  const found = readNpx(command, args);
  if (found === null || found.args.some((arg, at) => holdsSecret(arg, found.args[at - 1] ?? ""))) return null;
  const notes = [...facts.notes, ...(found.note === null ? [] : [found.note])];
  return { kind: "npm", package: found.package, version: found.version, args: found.args, ...facts, notes };
};

const commandDraft = (
  { command, args, ...facts }: ProcessFacts & { readonly command: string; readonly args: readonly string[] },
  value: Json,
  baseDir: string,
): ServerDraft => {
  const cwd = typeof value["cwd"] === "string" ? resolve(baseDir, value["cwd"]) : baseDir;
  const place = (text: string): string => (RELATIVE.test(text) ? resolve(cwd, text) : text);
  const program = /[/\\]/.test(command) && !isAbsolute(command) ? resolve(cwd, command) : command;
  const moved = args.filter((arg) => RELATIVE.test(arg)).map((arg) => `${arg} is taken to be ${place(arg)}`);
  const notes = value["cwd"] === undefined ? moved : [...moved, "it runs in its own data directory, not in its cwd"];
  return { kind: "command", command: program, args: args.map(place), ...facts, notes: [...facts.notes, ...notes] };
};

/** `--name=value`, `NAME=value` and `Name: value`; else the value is null. */
export const splitArgument = (arg: string): { readonly name: string; readonly value: string | null } => {
  const [, name = "", value = null] = /^(-{0,2}[A-Za-z][\w.-]*)(?:=|:\s+|:(?![/\\]))(.*)$/s.exec(arg) ?? [];
  return { name, value };
};

/** A secret by itself, or by the flag before it. */
export const isSecretArgument = (arg: string, before: string): boolean => {
  const { name, value } = splitArgument(arg);
  if (value !== null && looksSecret(name, value)) return true;
  return looksSecret(before.startsWith("-") && !before.includes("=") && !arg.startsWith("-") ? before : "", arg);
};

/** It names a variable, or is a secret. */
export const holdsSecret = (arg: string, before: string): boolean =>
  arg.includes("${") || isSecretArgument(arg, before);

const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_ITEMS)
    throw new Unusable(`its args are no list of at most ${MAX_ITEMS} texts`);
  return value;
};

/** Numbers and switches count as their text. */
const textsOf = (value: unknown, what: string): Record<string, string> => {
  if (value === undefined || value === null) return {};
  const members = isObject(value) ? Object.entries(value) : null;
  if (members === null || members.length > MAX_ITEMS) throw new Unusable(`its ${what} is no object with texts`);
  return Object.fromEntries(
    members.map(([key, each]) => {
      if (typeof each === "string") return [key, each];
      if (typeof each === "number" || typeof each === "boolean") return [key, String(each)];
      throw new Unusable(`${what} ${key.slice(0, 60)} is no text`);
    }),
  );
};
