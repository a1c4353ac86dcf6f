/** The body of `POST /v1/keys`. Only the shape is checked here; whether the key may be made is decided by its keeper. */
import { Refusal } from "../kernel/refusal.ts";
import type { NewKey } from "../kernel/key.ts";
import type { RestBody } from "./read-rest-body.ts";

const TEXTS = ["as", "for", "workspace"] as const;
const LISTS = ["scopes", "permissions"] as const;
const KNOWN: ReadonlySet<string> = new Set(["name", ...TEXTS, ...LISTS]);

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

export const readKeyOrder = ({ value }: RestBody): NewKey => {
  const { name } = value;
  if (typeof name !== "string" || name === "") throw bad('"name" is missing.', 'Send {"name": "<name of the key>"}.');
  const unknown = Object.keys(value).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) {
    throw bad(`${JSON.stringify(unknown.slice(0, 100))} is no field of a key.`, `Use: ${[...KNOWN].join(", ")}.`);
  }
  const order: Record<string, string | readonly string[]> = {};
  for (const key of TEXTS) {
    const text = value[key];
    if (text === undefined) continue;
    if (typeof text !== "string") throw bad(`"${key}" is not a string.`, "Send a string, or leave it out.");
    order[key] = text;
  }
  for (const key of LISTS) {
    const list = value[key];
    if (list === undefined) continue;
    if (!isTexts(list)) throw bad(`"${key}" is not a list of strings.`, "Send a list of strings, or leave it out.");
    order[key] = list;
  }
  return { ...order, name };
};
