/**
 * `key=value` of the command line. `key:=json` is a value that is no text (`null` takes one out), `key=-` one that is read
 * from standard input or typed unseen, so that a secret is in no history and no list of processes.
 */
import { text } from "node:stream/consumers";
import { askSecret, isAtTerminal } from "./ask-person.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "./usage-error.ts";

type Source = Pick<CommandContext, "stdin" | "terminal">;

export const readPairs = async (
  words: readonly string[],
  source: Source,
): Promise<Readonly<Record<string, unknown>>> => {
  const pairs = words.map(splitPair);
  const unseen = pairs.filter(({ value }) => value === "-");
  if (unseen.length > 1 && !isAtTerminal(source)) {
    throw new UsageError(
      "Standard input can give one value only.",
      `Set them one after the other: ${unseen[0]?.key}=-`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const { key, value } of pairs) {
    if (Object.hasOwn(values, key)) throw new UsageError(`${key} is given twice.`, "Give it once.");
    values[key] = value === "-" ? await readUnseen(source, key) : value;
  }
  return values;
};

const splitPair = (word: string): { readonly key: string; readonly value: unknown } => {
  const at = word.indexOf("=");
  const isJson = at > 1 && word[at - 1] === ":";
  const key = word.slice(0, isJson ? at - 1 : at);
  // A value may be a secret, so that only the key is shown.
  if (at < 1 || key === "__proto__") {
    throw new UsageError(`"${word.split("=", 1)[0] ?? ""}" is no key=value.`, "Write: key=value, key:=json or key=-");
  }
  const value = word.slice(at + 1);
  return { key, value: isJson ? parseValue(key, value) : value };
};

const parseValue = (key: string, json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError(`${key}: not JSON.`, `Write ${key}:=true, ${key}:=5, '${key}:=["a"]', or ${key}=text`);
  }
};

const readUnseen = async (source: Source, key: string): Promise<string> => {
  const value = isAtTerminal(source) ? await askSecret(source, key) : (await text(source.stdin)).replace(/\r?\n$/, "");
  if (value === "") throw new UsageError(`${key}: nothing was given.`, `Pipe the value in: … | bailiwick … ${key}=-`);
  return value;
};
