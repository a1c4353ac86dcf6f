/** Of the remote addresses of a server in an MCP registry: the one to connect to, with its variables filled in. Pure. */
import { isObject } from "../shapes.ts";
import { objectsIn } from "./registry-json.ts";
import { refuseSource } from "./refuse-source.ts";
import type { RemoteOffer } from "./registry.ts";

type Json = Readonly<Record<string, unknown>>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const UNPRINTABLE = /\p{Cc}/u;

/** Null: there is none. `from` begins a sentence: who has what. */
export const fillRemote = (remotes: readonly Json[], from: string): Pick<RemoteOffer, "url" | "transport"> | null => {
  const remote =
    remotes.find((each) => each["type"] === "streamable-http") ?? remotes.find((each) => each["type"] === "sse");
  if (remote === undefined) return null;
  const url = typeof remote["url"] === "string" ? fill(remote["url"], remote["variables"]) : "";
  const open = /\{([^{}]*)\}/.exec(url)?.[1];
  if (open !== undefined) {
    throw refuseSource(
      `${from} at a remote address that needs a value for "${open.slice(0, 100)}": ${url.slice(0, 500)}`,
      'Fill it in and add the address yourself, as an entry with "url" and "serverName".',
    );
  }
  if (!URL.canParse(url))
    throw refuseSource(`${from} at a remote address that is no URL.`, "Ask its author to correct it.");
  const type = remote["type"] === "sse" ? "sse" : "streamable-http";
  const headers = headersOf(remote["headers"]);
  return { url, transport: Object.keys(headers).length === 0 ? { type } : { type, headers } };
};

const fill = (template: string, variables: unknown): string =>
  template.replace(/\{([^{}]{1,100})\}/g, (whole, key: string) => {
    const variable = isObject(variables) ? variables[key] : null;
    const value = isObject(variable) ? (variable["value"] ?? variable["default"]) : null;
    return typeof value === "string" ? encodeURIComponent(value) : whole;
  });

/** Those with a fixed value; a secret one is the person's to add. */
const headersOf = (headers: unknown): Record<string, string> => {
  const fixed: Record<string, string> = {};
  for (const header of objectsIn(headers)) {
    const { name, value } = header;
    if (typeof name !== "string" || !HEADER_NAME.test(name) || typeof value !== "string") continue;
    if (!UNPRINTABLE.test(value) && !/[{}]/.test(value)) fixed[name] = value;
  }
  return fixed;
};
