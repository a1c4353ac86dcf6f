/**
 * The headers a modern request must repeat from its body, so that what a proxy in front decides by is what runs:
 * present, decoded, and equal.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isUtf8 } from "node:buffer";
import { argumentAt, type ParamHeader } from "../kernel/param-headers.ts";
import { mismatch } from "./classify-request.ts";
import type { DoorRefusal } from "./door-refusal.ts";
import type { JsonObject } from "./protocol.ts";

/** The member of params that `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
  ["skills/get", "uri"],
  ["resources/directory/read", "uri"],
]);
/** Clients in use send no `Mcp-Name` with these and cannot be told to; one that is there must be right all the same. */
const MAY_BE_UNNAMED: ReadonlySet<string> = new Set(["skills/get", "resources/directory/read"]);
const OPEN = "=?base64?";
const CLOSE = "?=";

/** The plain value of a header; null when its encoding is broken. */
const decode = (value: string): string | null => {
  if (!value.startsWith(OPEN) || !value.endsWith(CLOSE)) return value;
  const inside = value.slice(OPEN.length, -CLOSE.length);
  const bytes = Buffer.from(inside, "base64");
  return bytes.toString("base64") === inside && isUtf8(bytes) ? bytes.toString("utf8") : null;
};

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(", ") : header;

/** `Mcp-Method` and the version were compared by `classifyRequest` where they are present. */
export const checkHeaders = (headers: IncomingHttpHeaders, method: string, params: JsonObject): DoorRefusal | null => {
  if (headers["mcp-protocol-version"] === undefined) return mismatch("MCP-Protocol-Version", "it is missing");
  if (headers["mcp-method"] === undefined) return mismatch("Mcp-Method", "it is missing");
  const member = NAMED_BY.get(method);
  if (member === undefined) return null;
  const wanted = params[member];
  const header = single(headers["mcp-name"]);
  if (header === undefined) {
    return typeof wanted === "string" && !MAY_BE_UNNAMED.has(method) ? mismatch("Mcp-Name", "it is missing") : null;
  }
  const name = decode(header.trim());
  if (name === null) return mismatch("Mcp-Name", "its base64 form is broken");
  return typeof wanted !== "string" || name === wanted
    ? null
    : mismatch("Mcp-Name", `params.${member} is ${JSON.stringify(wanted.slice(0, 100))}`);
};

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The headers that repeat arguments, where a tool wants that. A header without its argument says something else too. */
export const checkParamHeaders = (
  headers: IncomingHttpHeaders,
  declared: readonly ParamHeader[],
  args: JsonObject,
): DoorRefusal | null => {
  for (const { header, path } of declared) {
    const defect = paramDefect(single(headers[`mcp-param-${header.toLowerCase()}`]), argumentAt(args, path));
    if (defect !== null) return mismatch(`Mcp-Param-${header}`, `arguments.${path.join(".").slice(0, 100)}: ${defect}`);
  }
  return null;
};

/** An argument of the wrong kind is for the tool's schema to refuse. */
const paramDefect = (header: string | undefined, value: unknown): string | null => {
  if (value === undefined || value === null) return header === undefined ? null : "there is a header and no argument";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  if (header === undefined) return "the header is missing";
  const said = decode(header.trim());
  if (said === null) return "its base64 form is broken";
  if (typeof value === "number" && DECIMAL.test(said)) return Number(said) === value ? null : "the numbers differ";
  return said === String(value) ? null : "the values differ";
};
