/** The arguments of a call from the command line: JSON as text, from a file (`@file`) or from standard input (`-`). */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { findJsonDefect, type JsonDefect } from "../kernel/scan-json.ts";
import { UsageError } from "./usage-error.ts";

export interface ArgumentSource {
  /** What was typed; undefined: no arguments. */
  readonly word: string | undefined;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
}

const SHOWN = 40;
/** As deep as the checks of a call allow. */
const MAX_DEPTH = 512;

export const readArguments = async (source: ArgumentSource): Promise<Readonly<Record<string, unknown>>> => {
  const { word, cwd, stdin } = source;
  if (word === undefined) return {};
  if (word === "-") return parseArguments(await text(stdin), "standard input");
  if (!word.startsWith("@")) return parseArguments(word, "the arguments");
  const file = resolve(cwd, word.slice(1));
  const content = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`, "Name a readable file: @arguments.json");
  });
  return parseArguments(content, file);
};

export const parseArguments = (json: string, name: string): Readonly<Record<string, unknown>> => {
  const bare = json.startsWith("\uFEFF") ? json.slice(1) : json;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (error) {
    throw new UsageError(`${name}: not JSON${describePlace(json, (error as Error).message)}`, EXAMPLE);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const defect = findJsonDefect(bare, { maxDepth: MAX_DEPTH, numbers: true });
    if (defect !== null) throw describeDefect(defect, name);
    return value as Record<string, unknown>;
  }
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  throw new UsageError(`${name}: expected one JSON object, found ${found}.`, EXAMPLE);
};

const EXAMPLE = `Write an object with quoted names, in single quotes for the shell: '{"path":"notes.txt"}'`;

/** What would not arrive as it was typed. */
const describeDefect = (defect: JsonDefect, name: string): UsageError => {
  if (defect.kind === "deep") {
    return new UsageError(`${name}: nested deeper than ${MAX_DEPTH} levels.`, "Send a flatter object.");
  }
  if (defect.kind === "repeated") {
    return new UsageError(`${name}: ${defect.pointer} is there twice.`, "Keep the one that is meant.");
  }
  return new UsageError(
    `${name}: the number at ${defect.pointer} cannot be kept exactly.`,
    "Write it as a string if the tool takes one, or with fewer digits.",
  );
};

/** Line, column and the text there. */
const describePlace = (json: string, message: string): string => {
  const named = /at position (\d+)/.exec(message)?.[1];
  const at = named === undefined ? findToken(json) : Number(named);
  const before = json.slice(0, at).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const rest = json.slice(at, at + SHOWN);
  return rest === "" ? ` at ${place}: it ends too early.` : ` at ${place}: unexpected ${JSON.stringify(rest)}.`;
};

const hasToken = (json: string): boolean => {
  try {
    JSON.parse(json);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith("Unexpected token");
  }
};

/** V8 does not say where an unexpected token is, but every text that reaches it has one: the shortest such text ends there. */
const findToken = (json: string): number => {
  if (!hasToken(json)) return json.length;
  let least = 0;
  let most = json.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (hasToken(json.slice(0, middle))) most = middle;
    else least = middle + 1;
  }
  return least - 1;
};
