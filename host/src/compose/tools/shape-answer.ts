/**
 * An answer of compose as a result: the same in both forms, unless a text in it is too long to stand there twice, or even
 * once. Then it is cut where that is said, and the whole can be read by its URI. Pure.
 */
import type { BuiltInResult } from "../../kernel/built-in.ts";
import { isObject } from "../../kernel/is-object.ts";

type Answer = Readonly<Record<string, unknown>>;

/** Of a text that does not fit, in characters. */
const SHOWN = 10_000;
/** For what stands around it. */
const MARGIN = 4_096;

/** `maxBytes`: of the whole result. */
export const shapeAnswer = (told: Answer, maxBytes: number): BuiltInResult => {
  const isError = told["success"] === false ? { isError: true } : {};
  const text = JSON.stringify(told);
  // As a text it is escaped once more; a character is at most six bytes then.
  if (text.length * 6 <= maxBytes || fits([told, text], maxBytes))
    return { content: [{ type: "text", text }], structuredContent: told, ...isError };
  const short = shorten(told);
  const whole = fits([told, JSON.stringify(short)], maxBytes) ? told : short;
  return {
    content: [{ type: "text", text: JSON.stringify(short) }, ...linkTo(told)],
    structuredContent: whole,
    ...isError,
  };
};

const fits = (parts: readonly unknown[], maxBytes: number): boolean =>
  parts.reduce((sum: number, part) => sum + Buffer.byteLength(JSON.stringify(part)), MARGIN) <= maxBytes;

/** Long texts only: its own, and those of the entries that it lists. */
const shorten = (told: Answer): Answer => {
  const { entries, metadata } = told;
  const cut = cutIn(told);
  if (cut !== told && isObject(metadata))
    return { ...cut, metadata: { ...metadata, ...cutMark(told), ...uriOf(told) } };
  if (cut !== told) return { ...cut, ...cutMark(told) };
  if (!Array.isArray(entries)) return told;
  const shortened = entries.map((entry: unknown) => (isObject(entry) ? markedIn(entry) : entry));
  return { ...told, entries: shortened };
};

const cutIn = (holder: Answer): Answer => {
  const { content } = holder;
  return typeof content === "string" && content.length > SHOWN
    ? { ...holder, content: content.slice(0, SHOWN).toWellFormed() }
    : holder;
};

const markedIn = (entry: Answer): Answer => {
  const cut = cutIn(entry);
  return cut === entry ? entry : { ...cut, ...cutMark(entry) };
};

const cutMark = ({ content }: Answer): Answer => ({ content_cut: true, content_length: String(content).length });

const uriOf = (told: Answer): Answer => {
  const { content_id: id, metadata } = told;
  const version = isObject(metadata) ? metadata["version_id"] : null;
  return typeof id === "string" && typeof version === "string" ? { content_uri: `content://${id}/${version}` } : {};
};

const linkTo = (told: Answer): readonly object[] => {
  const { content_uri: uri } = uriOf(told);
  return uri === undefined
    ? []
    : [{ type: "resource_link", uri, name: String(told["content_id"]), mimeType: "text/plain" }];
};
