/** The context that a caller gives: an object, a text that holds one, or nothing. */
import { ComposeError } from "../compose-error.ts";
import { isNestedTooDeep, NESTED_TOO_DEEP } from "./nesting.ts";

export type Context = Readonly<Record<string, unknown>>;

const MAX_TOLD = 200;

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const refuseType = (type: string): ComposeError =>
  new ComposeError("invalid_context", `The context must be a JSON object, not ${type}.`, {
    received_type: type,
    error: "not an object",
  });

const refuseReference = (key: string): ComposeError =>
  new ComposeError("invalid_context", "The context of a call cannot name a file or a config to be read.", {
    received_type: "reference",
    error: `${JSON.stringify(key.slice(0, MAX_TOLD).toWellFormed())} is a reference`,
    next: "Give the value itself, or put the reference into generation_config.context of the config.",
  });

const checkObject = (value: unknown): Context => {
  const type = typeOf(value);
  if (type !== "object") throw refuseType(type);
  const context = value as Context;
  const reference = Object.keys(context).find((key) => isReference(context[key]));
  if (reference !== undefined) throw refuseReference(reference);
  if (!isNestedTooDeep(value)) return context;
  throw new ComposeError("invalid_context", `The context cannot be used: ${NESTED_TOO_DEEP}.`, {
    received_type: type,
    error: NESTED_TOO_DEEP,
  });
};

export const readContext = (given: unknown): Context => {
  if (given === undefined || given === null || given === "") return {};
  if (typeof given !== "string") return checkObject(given);
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    throw new ComposeError("invalid_context", "The context is a string that holds no JSON object.", {
      received: given.slice(0, MAX_TOLD).toWellFormed(),
      error: (error as Error).message.slice(0, MAX_TOLD),
    });
  }
  return checkObject(value);
};

/** What a config may say to have a file read: `{source:"file", path}`. Nobody who calls may. */
export const isReference = (
  value: unknown,
): value is { readonly source: "file" | "config"; readonly path?: unknown } => {
  if (typeOf(value) !== "object") return false;
  const { source, path } = value as { source?: unknown; path?: unknown };
  return source === "config" || (source === "file" && path !== undefined);
};

/** Shallow; the later one wins. */
export const overlayContext = (under: Context, over: Context): Context => ({ ...under, ...over });
