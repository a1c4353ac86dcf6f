/** The text of `tools.yaml` as entries and groups, before anything is said about what is in them. */
import { nearest } from "@bailiwick/contract";
import { isMapping } from "./shapes.ts";
import { quote, type Diagnostics, type Place } from "./diagnostics.ts";
import { readYaml, stepInto, type YamlFault, type YamlReading } from "../../kernel/read-yaml.ts";
import { splitToolsText, type TextPiece } from "./split-tools-text.ts";

/** One value of the file, and where it stands. */
export interface Written {
  readonly value: unknown;
  /** What of it cannot be read; null: all can. */
  readonly fault: YamlFault | null;
  /** Where a part of it stands; by the keys to it, none for itself. */
  place(...keys: readonly (string | number)[]): Place;
}

export interface ToolsFile {
  readonly entries: readonly Written[];
  readonly groups: readonly Written[];
  /** False: there may be groups that could not be read. */
  readonly groupsWhole: boolean;
}

const MAX_ENTRIES = 1_000;
const KEYS: ReadonlySet<string> = new Set(["tools", "groups"]);
const IN_LIST = /^\/(?:tools|groups)\/[0-9]+(?=\/|$)/;
const EMPTY: ToolsFile = { entries: [], groups: [], groupsWhole: false };

/** `file`: its name in the package, for pointers. */
export const readToolsFile = async (text: string, file: string, found: Diagnostics): Promise<ToolsFile> => {
  const reading = await readYaml(text);
  const split = reading.broken === null ? null : splitToolsText(text);
  const whole = split === null ? reading : await readYaml(split.rest);
  if (whole.broken !== null) {
    const { line, message } = whole.broken;
    found.add({
      reason: "read_error",
      place: { pointer: `${file}#`, line },
      message: `${file} cannot be read: ${message}.`,
      fix: `Mend line ${line} of ${file}.`,
    });
    if (split === null) return EMPTY;
  }
  const inFile = { reading: whole, file, found, faults: firstFaults(whole.faults) };
  noteTags(whole, inFile);
  const groups = checkTop(inFile, split === null) ? listOf(inFile, "groups") : [];
  const entries = split === null ? listOf(inFile, "tools") : await piecesOf(split.entries, inFile);
  for (const [key, list] of [["tools", entries] as const, ["groups", groups] as const]) {
    if (list.length <= MAX_ENTRIES) continue;
    found.add({
      reason: "invalid_tool",
      place: { pointer: `${file}#/${key}/${MAX_ENTRIES}`, line: whole.lineOf(`/${key}/${MAX_ENTRIES}`) },
      message: `${file} has more than ${MAX_ENTRIES} ${key}, and those after them are not served.`,
      fix: "Put them into another package.",
    });
  }
  const groupsWhole = hasAllGroups(whole) && groups.length <= MAX_ENTRIES;
  return { entries: entries.slice(0, MAX_ENTRIES), groups: groups.slice(0, MAX_ENTRIES), groupsWhole };
};

const hasAllGroups = ({ broken, value, faults }: YamlReading): boolean => {
  if (broken !== null || faults.some(({ pointer }) => pointer === "/groups")) return false;
  const { groups = null, ...rest } = isMapping(value) ? value : {};
  const isMisspelt = Object.keys(rest).some((key) => key !== "tools" && nearest(key.toLowerCase(), ["groups"], 2));
  return (groups === null || Array.isArray(groups)) && !isMisspelt;
};

/** What of each item cannot be read first; by its pointer. */
const firstFaults = (faults: readonly YamlFault[]): ReadonlyMap<string, YamlFault> => {
  const first = new Map<string, YamlFault>();
  for (const fault of faults) {
    const [item] = IN_LIST.exec(fault.pointer) ?? [];
    if (item !== undefined && !first.has(item)) first.set(item, fault);
  }
  return first;
};

/** `line`: the one that the text begins with. */
const noteTags = ({ warnings }: YamlReading, { file, found }: Pick<InFile, "file" | "found">, line = 1): void => {
  for (const warning of warnings) {
    const at = warning.line + line - 1;
    found.add({
      reason: "invalid_tool",
      place: { pointer: `${file}#${warning.pointer}`, line: at },
      message: `Something in ${file} is not taken as it is written: ${warning.message}.`,
      fix: `Mend line ${at} of ${file}.`,
      warning: true,
    });
  }
};

interface InFile {
  readonly reading: YamlReading;
  readonly file: string;
  readonly found: Diagnostics;
  readonly faults: ReadonlyMap<string, YamlFault>;
}

const checkTop = ({ reading, file, found }: InFile, wantsTools: boolean): boolean => {
  const { value, lineOf } = reading;
  if (!isMapping(value)) {
    if (!wantsTools) return false;
    found.add({
      reason: "read_error",
      place: { pointer: `${file}#`, line: 1 },
      message: `${file} is no mapping with the key "tools".`,
      fix: `Begin ${file} with "tools:" and a list below it.`,
    });
    return false;
  }
  for (const { pointer, line, message } of reading.faults.filter(({ pointer: at }) => !IN_LIST.test(at))) {
    const place = { pointer: `${file}#${pointer}`, line };
    found.add({
      reason: "read_error",
      place,
      message: `${pointer || file} ${message}.`,
      fix: `Mend line ${line} of ${file}.`,
    });
  }
  for (const key of Object.keys(value).filter((each) => !KEYS.has(each))) {
    found.add({
      reason: "invalid_tool",
      place: { pointer: `${file}#${stepInto("", key)}`, line: lineOf(stepInto("", key)) },
      message: `${file} has the key ${quote(key)}, which means nothing.`,
      fix: `Take it out, or move it into an entry of "tools" or "groups".`,
      warning: true,
    });
  }
  if (!wantsTools || Array.isArray(value["tools"])) return true;
  found.add({
    reason: "read_error",
    place: { pointer: `${file}#/tools`, line: lineOf("/tools") },
    message: `${file} has no list "tools".`,
    fix: `Write "tools:" in ${file} and a list of tools below it.`,
  });
  return true;
};

/** One more than are served, where there are more. */
const listOf = ({ reading, file, found, faults }: InFile, key: "tools" | "groups"): Written[] => {
  const list = isMapping(reading.value) ? reading.value[key] : undefined;
  if (key === "groups" && list !== undefined && list !== null && !Array.isArray(list)) {
    found.add({
      reason: "invalid_tool",
      place: { pointer: `${file}#/groups`, line: reading.lineOf("/groups") },
      message: `"groups" in ${file} is no list.`,
      fix: 'Write "groups:" as a list of {name, tools, default_active}.',
    });
  }
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_ENTRIES + 1).map((value: unknown, i) => {
    const base = `/${key}/${i}`;
    const fault = faults.get(base) ?? null;
    return {
      value,
      fault: fault && { ...fault, pointer: fault.pointer.slice(base.length) },
      place: (...keys) => {
        const pointer = keys.reduce<string>(stepInto, base);
        return { pointer: `${file}#${pointer}`, line: reading.lineOf(pointer) };
      },
    };
  });
};

const piecesOf = (pieces: readonly TextPiece[], inFile: InFile): Promise<Written[]> =>
  Promise.all(pieces.slice(0, MAX_ENTRIES + 1).map((piece, i) => pieceOf(piece, i, inFile)));

const pieceOf = async ({ text, line }: TextPiece, i: number, inFile: InFile): Promise<Written> => {
  const reading = await readYaml(text);
  const { value, broken, faults, lineOf } = reading;
  const [fault = null] = broken === null ? faults : [broken];
  noteTags(reading, inFile, line);
  return {
    value: Array.isArray(value) ? value[0] : null,
    fault: fault && { ...fault, pointer: fault.pointer.slice("/0".length), line: fault.line + line - 1 },
    place: (...keys) => ({
      pointer: `${inFile.file}#${keys.reduce<string>(stepInto, `/tools/${i}`)}`,
      line: lineOf(keys.reduce<string>(stepInto, "/0")) + line - 1,
    }),
  };
};
