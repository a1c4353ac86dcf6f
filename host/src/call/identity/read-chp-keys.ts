/**
 * The keys of `auth.chpKeys`, with what their references to the environment stand for, and what is wrong with each line that
 * is none. A finding names variables, never what they hold.
 */
import type { Finding } from "@bailiwick/contract";
import { parseChpKey, type ChpKey } from "./parse-chp-key.ts";

export interface KeySurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nobody but this machine reaches any listener, so that a literal key opens nothing to others. */
  readonly loopback: boolean;
}

export interface ReadKeys {
  readonly keys: readonly ChpKey[];
  readonly findings: readonly Finding[];
}

const FORM = '"name:key" or "name:key:scope|scope"; the key has neither blanks nor colons';
const REFERENCE = /\$\{env:([^}]*)\}/g;
/** One reference and nothing else: it stands for the whole line. */
const WHOLE = /^\$\{env:([^}]*)\}$/;
/** A part of a line; a reference in it is never divided, whatever it has inside. */
const PART = /(?:^|:)((?:\$\{env:[^}]*\}|[^:])*)/g;

export const readChpKeys = (lines: readonly string[], { env, loopback }: KeySurroundings): ReadKeys => {
  const keys: ChpKey[] = [];
  const findings: Finding[] = [];
  const holders = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, env);
    const wrong =
      typeof read === "string" ? read : (sharedWith(holders, read, line) ?? writtenOut(read, line, loopback));
    if (wrong !== null) findings.push({ pointer: `/auth/chpKeys/${index}`, message: wrong });
    else if (typeof read !== "string") keys.push(read);
  }
  return { keys, findings };
};

const namesIn = (line: string): string[] => [...line.matchAll(REFERENCE)].map(([, name = ""]) => name);

/** A text says what is wrong. */
const readLine = (line: string, env: KeySurroundings["env"]): ChpKey | string => {
  if (line.replaceAll(REFERENCE, "").includes("${env:")) return "a reference has no end: write ${env:NAME}";
  const names = namesIn(line);
  // An empty one is as good as none.
  const unset = names.find((name) => !env[name]);
  if (unset !== undefined) return `the environment variable ${unset} is not set; set it, or take the line out`;
  const whole = WHOLE.exec(line)?.[1];
  const text = whole === undefined ? line : (env[whole] ?? "");
  const parts = [...text.matchAll(PART)].map(([, part = ""]) => part);
  const resolve = (part: string): string => part.replaceAll(REFERENCE, (_, name: string) => env[name] ?? "");
  const resolved = whole === undefined ? parts.map(resolve) : parts;
  const key = parseChpKey(resolved);
  // A scope may have colons; a key that has one would end there.
  if (whole === undefined && resolved[1]?.includes(":"))
    return `what ${namesIn(parts[1] ?? "").join(" and ")} holds has a colon, which no key has`;
  if (key !== null) return key;
  return names.length === 0 ? `expected ${FORM}` : `with what ${names.join(" and ")} holds it is no ${FORM}`;
};

const sharedWith = (holders: Map<string, string>, { name, key }: ChpKey, line: string): string | null => {
  const label = [name, ...namesIn(line).map((variable) => `(${variable})`)].join(" ");
  const other = holders.get(key);
  holders.set(key, other ?? label);
  return other === undefined ? null : `${label} has the same key as ${other}; give each line its own`;
};

const writtenOut = ({ name }: ChpKey, line: string, loopback: boolean): string | null =>
  loopback || namesIn(line).length > 0
    ? null
    : `the key of ${name} is written out, and a listener is not on loopback; keep it in an environment variable and write "${name}:\${env:NAME}"`;
