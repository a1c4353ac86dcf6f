/**
 * Puts one server into the text of a client's file and leaves every other character of it as it stands. Takes text that
 * `JSON.parse` has accepted as an object. Pure.
 */
import { type Member, memberOf, membersOf } from "../kernel/scan-json.ts";

export interface ServerPut {
  readonly member: string;
  readonly name: string;
  readonly entry: object;
}

/** Null: what the member holds is no object. */
export const putServer = (text: string | null, { member, name, entry }: ServerPut): string | null => {
  const source = text === null || text.trim() === "" ? "{}\n" : text;
  const indent = indentOf(source);
  const root = source.indexOf("{");
  const group = memberOf(source, member, root);
  if (group === null) {
    return insert(source, root, `${quote(member)}: ${shown({ [name]: entry }, indent, 1)}`, { indent, depth: 1 });
  }
  if (source[group.start] !== "{") return null;
  const before = memberOf(source, name, group.start);
  const value = shown(entry, indent, 2);
  if (before !== null) return source.slice(0, before.start) + value + source.slice(before.end);
  return insert(source, group.start, `${quote(name)}: ${value}`, { indent, depth: 2 });
};

const quote = (key: string): string => JSON.stringify(key);

/** As the file has it; two blanks where it does not say. */
const indentOf = (text: string): string => /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";

const shown = (value: object, indent: string, depth: number): string =>
  JSON.stringify(value, null, indent).replaceAll("\n", `\n${indent.repeat(depth)}`);

/** Behind the last member of the object that opens at `at`. */
const insert = (
  text: string,
  at: number,
  member: string,
  { indent, depth }: { readonly indent: string; readonly depth: number },
): string => {
  const last: Member | undefined = membersOf(text, at).at(-1);
  const line = `\n${indent.repeat(depth)}${member}`;
  if (last !== undefined) return `${text.slice(0, last.end)},${line}${text.slice(last.end)}`;
  const close = text.indexOf("}", at);
  return `${text.slice(0, at + 1)}${line}\n${indent.repeat(depth - 1)}${text.slice(close)}`;
};
