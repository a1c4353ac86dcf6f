/**
 * The params of a list. A filter may stand in two places and one of its members has two spellings; nothing of it is ever
 * ignored: what is not understood, or said twice in different ways, is an error. Pure.
 */
import type { AskAnswer } from "../../kernel/ask.ts";
import { cursorGiven, filterGivenTwice, schemeNotOffered, unknownParam, wrongType } from "./resource-errors.ts";

export interface FileFilter {
  readonly mimeType?: string;
  readonly tags?: readonly string[];
}

export type ListParams = { readonly filter: FileFilter } | { readonly error: AskAnswer };

interface Given extends FileFilter {
  readonly scheme?: string;
}

type Json = Readonly<Record<string, unknown>>;

const KNOWN: ReadonlySet<string> = new Set(["_meta", "cursor", "filter"]);

export const readListParams = (params: unknown): ListParams => {
  try {
    return { filter: readParams(params ?? {}) };
  } catch (no) {
    if (no instanceof Wrong) return { error: no.answer };
    throw no;
  }
};

/** Leaves this file only as an answer. */
class Wrong extends Error {
  readonly answer: AskAnswer;

  constructor(answer: AskAnswer) {
    super(answer.kind);
    this.answer = answer;
  }
}

const readParams = (params: unknown): FileFilter => {
  const { _meta: meta = {}, cursor = "", ...rest } = object(params, "params");
  for (const name of Object.keys(rest)) if (!KNOWN.has(name)) throw new Wrong(unknownParam(name));
  if (string(cursor, "cursor") !== "") throw new Wrong(cursorGiven(cursor as string));
  const inner = readFilter(object(meta, "_meta")["filter"]);
  const outer = readFilter(rest["filter"]);
  if (inner && outer && !isSame(inner, outer)) throw new Wrong(filterGivenTwice());
  const { scheme = "files", ...filter } = inner ?? outer ?? {};
  if (scheme.toLowerCase() !== "files") throw new Wrong(schemeNotOffered(scheme));
  return filter;
};

const readFilter = (value: unknown): Given | null => {
  if (value === undefined) return null;
  const { scheme, mimeType, mime_type: spelt, tags, ...rest } = object(value, "filter");
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Wrong(unknownParam(`filter.${unknown}`));
  const types = [
    ...(mimeType === undefined ? [] : [string(mimeType, "filter.mimeType")]),
    ...(spelt === undefined ? [] : [string(spelt, "filter.mime_type")]),
  ];
  const [type, other = type] = types;
  if (type !== other) throw new Wrong(filterGivenTwice());
  return {
    ...(scheme === undefined ? {} : { scheme: string(scheme, "filter.scheme") }),
    ...(type === undefined ? {} : { mimeType: type }),
    ...(tags === undefined ? {} : { tags: strings(tags, "filter.tags") }),
  };
};

/** Each tag once, in one order, so that two filters can be compared. */
const strings = (value: unknown, param: string): readonly string[] => {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw new Wrong(wrongType(param, value));
  }
  return [...new Set(value)].toSorted();
};

const string = (value: unknown, param: string): string => {
  if (typeof value !== "string") throw new Wrong(wrongType(param, value));
  return value;
};

const object = (value: unknown, param: string): Json => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Wrong(wrongType(param, value));
};

const isSame = (a: Given, b: Given): boolean =>
  a.scheme === b.scheme && a.mimeType === b.mimeType && JSON.stringify(a.tags) === JSON.stringify(b.tags);
