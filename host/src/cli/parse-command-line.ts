/** From what was typed to what is meant. Pure: it runs, prints and reads nothing. */
import type { ParseArgsOptionsConfig } from "node:util";
import { nearest } from "@bailiwick/contract";
import { BARE } from "./chat-commands.ts";
import type { Command, CommandInput, Flag, FlagValue } from "./command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "./commands.ts";
import { UsageError } from "./usage-error.ts";

/** As in `kernel/node-http`: imported as a module, `node:util` would load all that it can hand out. */
const { parseArgs } = process.getBuiltinModule("node:util");

export type Meaning =
  | { readonly kind: "run"; readonly command: Command; readonly input: CommandInput }
  /** `topic` is a command, a group such as `key`, or null for all. */
  | { readonly kind: "help"; readonly topic: string | null }
  | { readonly kind: "version" };

export const parseCommandLine = (argv: readonly string[]): Meaning => {
  const { words, helpAsked, versionAsked } = findWords(argv);
  const [first, ...rest] = words;
  if (first === undefined) {
    if (versionAsked) return { kind: "version" };
    if (helpAsked) return { kind: "help", topic: null };
    return { kind: "run", command: BARE, input: readFlags(argv, { ...GLOBAL_FLAGS, ...BARE.flags }, "") };
  }
  if (first === "help") return { kind: "help", topic: rest.length === 0 ? null : nameTopic(rest) };
  if (helpAsked) return { kind: "help", topic: nameTopic(words) };
  const command = findCommand(words);
  const { flags, args } = readFlags(argv, { ...GLOBAL_FLAGS, ...command.flags }, command.name);
  const own = args.slice(command.name.split(" ").length);
  checkCount(command, own);
  return { kind: "run", command, input: { flags, args: own } };
};

const optionsOf = (flags: Readonly<Record<string, Flag>>): ParseArgsOptionsConfig => {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, flag] of Object.entries(flags)) {
    options[name] = {
      type: flag.value === undefined ? "boolean" : "string",
      ...(flag.short === undefined ? {} : { short: flag.short }),
    };
  }
  return options;
};

const tokensOf = (argv: readonly string[], flags: Readonly<Record<string, Flag>>) =>
  parseArgs({ args: [...argv], options: optionsOf(flags), strict: false, allowPositionals: true, tokens: true }).tokens;

/** The words of the command are the first that belong to no flag; without one, the flags are those of a chat. */
const findWords = (argv: readonly string[]) => {
  const words: string[] = [];
  let helpAsked = false;
  let versionAsked = false;
  for (const token of tokensOf(argv, { ...GLOBAL_FLAGS, ...BARE.flags })) {
    if (token.kind === "option-terminator") break;
    if (token.kind === "positional") words.push(token.value);
    else if (token.name === "help") helpAsked = true;
    else if (token.name === "version" || token.rawName === "-v") versionAsked = true;
  }
  return { words, helpAsked, versionAsked };
};

const groupOf = (group: string): readonly Command[] => COMMANDS.filter(({ name }) => name.startsWith(`${group} `));

const findCommand = (words: readonly string[]): Command => {
  const [first = "", second] = words;
  const single = COMMANDS.find(({ name }) => name === first);
  if (single) return single;
  const group = groupOf(first);
  if (group.length > 0) return findInGroup(first, second, group);
  const known = COMMANDS.map(({ name }) => name.split(" ")[0] ?? name);
  throw new UsageError(`There is no command "${first}".${suggest(first, known)}`, "All commands: bailiwick --help");
};

const findInGroup = (first: string, second: string | undefined, group: readonly Command[]): Command => {
  const found = group.find(({ name }) => name === `${first} ${second ?? ""}`);
  if (found) return found;
  const verbs = group.map(({ name }) => name.slice(first.length + 1));
  const choice = `Use one of: ${verbs.map((verb) => `bailiwick ${first} ${verb}`).join(" · ")}`;
  if (second === undefined) throw new UsageError(`bailiwick ${first} needs to know what to do.`, choice);
  throw new UsageError(`There is no command "${first} ${second}".${suggest(second, verbs)}`, choice);
};

const suggest = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known, 2) ?? (word.length > 1 ? known.find((each) => each.startsWith(word)) : undefined);
  return near === undefined || near === null ? "" : ` Did you mean "${near}"?`;
};

const nameTopic = (words: readonly string[]): string => {
  const [first = ""] = words;
  if (groupOf(first).length > 0 && words[1] === undefined) return first;
  return findCommand(words).name;
};

const readFlags = (argv: readonly string[], known: Readonly<Record<string, Flag>>, command: string) => {
  const flags: Record<string, FlagValue> = {};
  const args: string[] = [];
  for (const token of tokensOf(argv, known)) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, known, command);
    const value = readValue(token, flag);
    const before = flags[token.name];
    if (flag.multiple === true)
      flags[token.name] = [...((before as readonly string[] | undefined) ?? []), String(value)];
    else if (before !== undefined) throw new UsageError(`${token.rawName} is given twice.`, "Give it once.");
    else flags[token.name] = value;
  }
  return { flags, args };
};

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

const readValue = ({ rawName, value, inlineValue }: OptionToken, flag: Flag): string | boolean => {
  if (flag.value === undefined) {
    if (value === undefined) return true;
    throw new UsageError(`${rawName} takes no value (found "${value}").`, `Write it alone: ${rawName}`);
  }
  // A following flag is no value: `--config --json` is a forgotten file name.
  const missing = value === undefined || value === "" || (inlineValue !== true && /^-./.test(value));
  if (!missing) return value;
  throw new UsageError(`${rawName} needs a value.`, `Write: ${rawName} <${flag.value}>`);
};

const unknownFlag = (rawName: string, known: Readonly<Record<string, Flag>>, command: string): UsageError => {
  const place = command === "" ? "bailiwick" : `bailiwick ${command}`;
  const near = suggest(
    rawName,
    Object.keys(known).map((name) => `--${name}`),
  );
  return new UsageError(`${place} has no flag ${rawName}.${near}`, `Its flags: ${place} --help`);
};

const checkCount = (command: Command, args: readonly string[]): void => {
  const [least, most] = command.args;
  const usage = `Usage: bailiwick ${command.name} ${command.usage}`.trimEnd();
  if (args.length < least) throw new UsageError(`bailiwick ${command.name} needs an argument.`, usage);
  if (args.length <= most) return;
  const extra = args[most] ?? "";
  const hint = command.name === "call" ? " Put the JSON in single quotes so that the shell leaves it whole." : "";
  throw new UsageError(`bailiwick ${command.name} does not know what to do with "${extra}".${hint}`, usage);
};
