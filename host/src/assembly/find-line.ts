/** Which line of a skill's file a sentence about it means: the one it names, else the one of the field it is about. Pure. */

const NAMED = /\bline (\d{1,6})\b/;
/** `"tags" means …`, `metadata.type "x" counts …`, `allowed-tools: …`, `its name …`, `it has no name …`. */
const FIELD = /^(?:"([^"\\]{1,60})" means|its (name|description)\b|(?:metadata\.)?([A-Za-z][\w-]{0,59})\b)/;

/** From 1; null: it is about the whole file. */
export const findLine = (text: string, message: string): number | null => {
  const [, named] = NAMED.exec(message) ?? [];
  if (named !== undefined) return Number(named);
  const [, quoted, own, plain] = FIELD.exec(message) ?? [];
  const field = quoted ?? own ?? plain;
  return field === undefined ? null : lineOf(text, field);
};

const lineOf = (text: string, field: string): number | null => {
  const lines = text.split(/\r?\n/, 2_000);
  const end = lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line));
  const at = lines.slice(0, Math.max(0, end)).findIndex((line) => keyOf(line) === field);
  return at === -1 ? null : at + 1;
};

const keyOf = (line: string): string | null => {
  const [, key = null] = /^\s*["']?([^"':\s]{1,60})["']?\s*:/.exec(line) ?? [];
  return key;
};
