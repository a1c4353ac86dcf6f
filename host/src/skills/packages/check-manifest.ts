/** What the front matter of a package's `SKILL.md` says of it. What is only odd is told and served. */
import { nearest, PROVIDER_NAME } from "@bailiwick/contract";
import { readAllowedTools } from "../read-allowed-tools.ts";
import { quote, type Diagnostics, type Place } from "./diagnostics.ts";
import type { FrontMatter } from "./read-front-matter.ts";
import { stepInto } from "../../kernel/read-yaml.ts";
import { isMapping, readTexts } from "./shapes.ts";

export interface PackageManifest {
  readonly name: string;
  readonly description: string;
  readonly dcc: string | null;
  readonly version: string;
  readonly searchAliases: readonly string[];
  readonly allowedTools: readonly string[] | null;
  readonly carried: Readonly<Record<string, unknown>>;
  readonly env: readonly string[];
  /** False: no tool of it may be served. */
  readonly usable: boolean;
}

const TOP = ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "allowed_tools"];
const BLOCK = "dcc-mcp";
const TEXTS = ["dcc", "version", "search-hint", "tools"];
const LISTS = ["tags", "depends", "products", "search-aliases", "env"];
const KNOWN = [...TEXTS, ...LISTS];
const FLAT = `${BLOCK}.`;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LONGEST = { name: 64, description: 1_024, compatibility: 500 };

/** The block in which a package says what it is; empty where there is none. */
const blockOf = ({ value }: Pick<FrontMatter, "value">): Readonly<Record<string, unknown>> => {
  const metadata = value["metadata"];
  const block = isMapping(metadata) ? metadata[BLOCK] : undefined;
  return isMapping(block) ? block : {};
};

/** What the folder's `SKILL.md` refers to as its tools; undefined: it is no package. */
export const toolsReference = (front: FrontMatter): unknown => blockOf(front)["tools"] ?? undefined;

/** It has keys that only a package has, wherever they stand. */
export const isMeantForPackage = ({ value }: Pick<FrontMatter, "value">): boolean => {
  const { metadata } = value;
  return isMapping(metadata) && Object.keys(metadata).some((key) => key === BLOCK || key.startsWith(FLAT));
};

export const checkManifest = (front: FrontMatter, folder: string, found: Diagnostics): PackageManifest => {
  const tell = (keys: readonly string[], message: string, fix: string): void =>
    found.add({ reason: "invalid_frontmatter_shape", place: placeOf(front, keys), message, fix, warning: true });
  const block = blockOf(front);
  noteKeys(front, found);
  const text = (key: string): string | null => {
    const value = block[key] ?? null;
    if (value === null || typeof value === "string") return value;
    tell(["metadata", BLOCK, key], `${key} has to be a text.`, `Write ${key}: "…", in quotes.`);
    return typeof value === "number" ? String(value) : null;
  };
  const list = (key: string): readonly string[] => {
    const value = block[key] ?? [];
    const read = readTexts(value);
    if (read === null) tell(["metadata", BLOCK, key], `${key} has to be a list of texts.`, `Write ${key} as a list.`);
    return read ?? [];
  };
  const name = nameOf(front, folder, tell);
  const carried = [["search-hint", text("search-hint")] as const, ...LISTED.map((key) => [key, list(key)] as const)];
  return {
    name: name ?? folder,
    description: plainText(front, "description", tell),
    dcc: text("dcc"),
    version: text("version") ?? "1.0.0",
    searchAliases: list("search-aliases"),
    allowedTools: readAllowedTools(front.value),
    carried: Object.fromEntries<unknown>(carried.filter(([, value]) => value !== null && value.length > 0)),
    env: variablesOf(list("env"), tell),
    usable: checkTopKeys(front, found) && isName(name, front, found),
  };
};

const LISTED = ["tags", "depends", "products"];

type Tell = (keys: readonly string[], message: string, fix: string) => void;

const placeOf = ({ lineOf }: FrontMatter, keys: readonly string[]): Place => {
  const pointer = keys.reduce<string>(stepInto, "");
  return { pointer: `SKILL.md#${pointer}`, line: lineOf(pointer) };
};

/** Null: neither the front matter nor the folder has a name that a provider can have. */
const nameOf = (front: FrontMatter, folder: string, tell: Tell): string | null => {
  const given = front.value["name"] ?? null;
  const own = PROVIDER_NAME.test(folder) ? folder : null;
  if (given === null) return own;
  const usable = typeof given === "string" && PROVIDER_NAME.test(given);
  const instead = usable || own === null ? "" : ` The folder's name ${quote(own)} is used instead.`;
  const odd = oddName(given);
  if (odd !== null)
    tell(["name"], `The name ${odd}.${instead}`, "Use 1 to 48 small letters, digits and single hyphens.");
  else if (!usable) tell(["name"], `The name is too long for a provider.${instead}`, "Use at most 48 characters.");
  return usable ? given : own;
};

const oddName = (name: unknown): string | null => {
  if (typeof name !== "string" || name === "") return "is no text";
  if (name.length > LONGEST.name) return `has more than ${LONGEST.name} characters`;
  if (!/^[a-z0-9-]+$/.test(name)) return `${quote(name)} has characters other than a-z, 0-9 and "-"`;
  return /^-|-$|--/.test(name) ? `${quote(name)} has a hyphen at an end, or two in a row` : null;
};

const isName = (name: string | null, front: FrontMatter, found: Diagnostics): boolean => {
  if (name !== null) return true;
  found.add({
    reason: "invalid_frontmatter_shape",
    place: placeOf(front, ["name"]),
    message: "Neither the name in SKILL.md nor the folder's can be the name of a provider.",
    fix: 'Give it "name:" of 1 to 48 small letters, digits and hyphens, not beginning with a hyphen.',
  });
  return false;
};

const plainText = (front: FrontMatter, key: "description", tell: Tell): string => {
  for (const each of [key, "compatibility"] as const) {
    const value = front.value[each] ?? "";
    if (typeof value !== "string") tell([each], `${each} has to be a text.`, `Write ${each} as one text.`);
    else if (value.length > LONGEST[each]) {
      tell([each], `${each} has more than ${LONGEST[each]} characters.`, `Make it shorter.`);
    }
  }
  const value = front.value[key];
  return typeof value === "string" ? value.slice(0, 4 * LONGEST[key]) : "";
};

const variablesOf = (names: readonly string[], tell: Tell): readonly string[] =>
  [...new Set(names)].filter((name) => {
    const fits = VARIABLE.test(name);
    if (!fits) tell(["metadata", BLOCK, "env"], `${quote(name)} is no name of a variable.`, "Take it out or mend it.");
    return fits;
  });

/** Keys that mean nothing where they stand: told for skills too, since somebody wanted a package. */
export const noteKeys = (front: FrontMatter, found: Diagnostics): void => {
  const { metadata } = front.value;
  const tell = (keys: readonly string[], message: string, fix: string): void =>
    found.add({ reason: "invalid_frontmatter_shape", place: placeOf(front, keys), message, fix, warning: true });
  for (const { pointer, line, message } of front.warnings) {
    const said = `Something in SKILL.md is not taken as it is written: ${pointer} ${message}.`.replace(":  ", ": ");
    const place = { pointer: `SKILL.md#${pointer}`, line };
    const fix = `Mend line ${line} of SKILL.md.`;
    found.add({ reason: "invalid_frontmatter_shape", place, message: said, fix, warning: true });
  }
  for (const key of isMapping(metadata) ? Object.keys(metadata).filter((each) => each.startsWith(FLAT)) : []) {
    const own = key.slice(FLAT.length);
    tell(
      ["metadata", key],
      `The flat key ${quote(key)} is ignored.`,
      `Write metadata: ${BLOCK}: ${own}: … as nested keys.`,
    );
  }
  for (const key of Object.keys(blockOf(front)).filter((each) => !KNOWN.includes(each))) {
    const near = nearest(key, KNOWN, 3);
    const meant = near === null ? "." : `; did you mean ${near}?`;
    const fix = near === null ? `Take ${quote(key)} out.` : `Write ${near} instead of ${quote(key)}.`;
    tell(["metadata", BLOCK, key], `The key ${quote(key)} in metadata.${BLOCK} means nothing${meant}`, fix);
  }
};

const checkTopKeys = (front: FrontMatter, found: Diagnostics): boolean => {
  const others = Object.keys(front.value).filter((key) => !TOP.includes(key));
  const [first] = others;
  if (first === undefined) return true;
  const shown = others.slice(0, 10);
  found.add({
    reason: "non_spec_top_level_keys",
    place: placeOf(front, [first]),
    message: `SKILL.md has keys at the top that do not belong there: ${shown.map(quote).join(", ")}.`,
    fix: shown.map((key) => `Move ${quote(key)} to ${belongsTo(key)}.`).join(" "),
  });
  return false;
};

const belongsTo = (key: string): string => {
  const plain = key.replaceAll("_", "-");
  if (KNOWN.includes(plain)) return `metadata.${BLOCK}.${plain}`;
  const near = nearest(key, TOP, 2);
  return near === null ? `metadata.${key.slice(0, 64)}` : `${near}, if that was meant`;
};
