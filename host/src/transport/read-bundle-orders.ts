/** What the routes about bundles are told. Only shapes are checked here; what is wrong is named by its field. */
import type { Acceptance } from "../kernel/bundle-admin.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import type { RestBody } from "./read-rest-body.ts";

const SOURCES = ["name", "path", "url"] as const;
const MAX_FOUND = 100;
const FOUND = 20;
const MAX_QUERY = 200;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** An entry as it would stand in the configuration; whether it can be used is decided where every entry is. */
export const readEntryOrder = ({ value }: RestBody): JsonObject => {
  const given = SOURCES.filter((source) => value[source] !== undefined);
  const [source] = given;
  if (source === undefined || given.length > 1) {
    const found = given.length === 0 ? "none" : given.join(", ");
    throw bad(`Give exactly one of name, path, url (found ${found}).`, 'Send {"name": "@scope/bundle"}, for example.');
  }
  if (typeof value[source] !== "string" || value[source] === "") {
    throw bad(`"${source}" is not a string.`, `Send {"${source}": "<text>"}.`);
  }
  return value;
};

export const readAcceptOrder = ({ value: { tools = null, offered, ...rest } }: RestBody): Acceptance => {
  refuseOthers(rest, "tools", "offered");
  if (tools !== null && !isTexts(tools)) {
    throw bad(
      '"tools" is not a list of strings.',
      "Send the tools' own names, or leave it out to accept all that is held.",
    );
  }
  if (isTexts(offered)) return { tools, offered };
  throw bad(
    offered === undefined ? '"offered" is missing.' : '"offered" is not a list of strings.',
    'Inspect first: GET /v1/apps/<name>. Then send "offered" of each of its "held" that was looked at.',
  );
};

export const readValues = ({ value: { values, ...rest } }: RestBody): JsonObject => {
  refuseOthers(rest, "values");
  if (!isObject(values)) throw bad('"values" is not an object.', 'Send {"values": {"<key>": "<value>"}}.');
  for (const [key, each] of Object.entries(values)) {
    if (each === null || ["string", "number", "boolean"].includes(typeof each) || isTexts(each)) continue;
    throw bad(
      `"values" has a ${JSON.stringify(key.slice(0, 64))} that cannot be stored.`,
      "Send a string, a number, a boolean, a list of strings, or null to take the value out.",
    );
  }
  return values;
};

export const readSearchOrder = (query: URLSearchParams): { readonly text: string; readonly limit: number } => {
  const text = query.get("q") ?? "";
  if (text.length > MAX_QUERY) throw bad(`"q" is longer than ${MAX_QUERY} characters.`, "Search for fewer words.");
  const limit = query.get("limit") ?? String(FOUND);
  const count = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count >= 1 && count <= MAX_FOUND) return { text, limit: count };
  throw bad(`"limit" is not a whole number from 1 to ${MAX_FOUND}.`, `Send limit=${FOUND}, or leave it out.`);
};

const refuseOthers = (rest: JsonObject, ...known: readonly string[]): void => {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw bad(`${JSON.stringify(other.slice(0, 64))} is no field here.`, `Send "${known.join('", "')}" alone.`);
};
