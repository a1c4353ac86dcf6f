/**
 * Gives an answer of the call path the form of the caller's era, by inserting and cutting text. What the upstream said
 * otherwise stays as it came.
 */
import type { McpReply, Operation } from "../kernel/call.ts";
import { rawJson, rawMembers, type RawJson } from "../kernel/raw-json.ts";
import { insertMembers, joinMembers, membersOf, type Member } from "../kernel/scan-json.ts";
import { isObject } from "./protocol.ts";

const LEGACY_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const MAX_TTL_MS = 60_000;
/** Answers whose age a client may want to know. */
const CACHED: ReadonlySet<Operation> = new Set<Operation>(["read", "skill", "directory"]);
const COMPLETE = rawMembers('"resultType":"complete"');

export const fitModern = (reply: McpReply, operation: Operation): McpReply => {
  if (reply.member === "error") return { member: "error", json: recode(reply.json, LEGACY_NOT_FOUND, INVALID_PARAMS) };
  if (CACHED.has(operation)) return { member: "result", json: withCacheHints(reply.json) };
  return hasMember(reply.json, "resultType") ? reply : { member: "result", json: insertMembers(reply.json, COMPLETE) };
};

export const fitLegacy = (reply: McpReply, operation: Operation): McpReply => {
  if (reply.member === "result")
    return operation === "call" ? { member: "result", json: wrapStructured(reply.json) } : reply;
  if (operation !== "read" || !isNotFound(reply.json)) return reply;
  return { member: "error", json: recode(reply.json, INVALID_PARAMS, LEGACY_NOT_FOUND) };
};

/** Looks for the bytes first: most results do not have them, and some are large. */
const hasMember = (json: RawJson, key: string): boolean =>
  json.includes(`"${key}"`) && membersOf(json).some((member) => member.key === key);

const withCacheHints = (json: RawJson): RawJson => {
  const members = membersOf(json);
  const kept: Member[] = [];
  let ttlMs = 0;
  let complete = '"resultType":"complete",';
  for (const member of members) {
    if (member.key === "cacheScope") continue;
    if (member.key === "ttlMs") {
      ttlMs = Math.min(Math.max(Math.trunc(Number(json.slice(member.start, member.end))) || 0, 0), MAX_TTL_MS);
      continue;
    }
    if (member.key === "resultType") complete = "";
    kept.push(member);
  }
  const rest = kept.length === members.length ? json : rawJson(`{${joinMembers(json, kept)}}`);
  return insertMembers(rest, rawMembers(`${complete}"ttlMs":${ttlMs},"cacheScope":"private"`));
};

/** Legacy clients take only an object there. */
const wrapStructured = (json: RawJson): RawJson => {
  if (!json.includes('"structuredContent"')) return json;
  const found = membersOf(json).find((member) => member.key === "structuredContent");
  if (!found || json[found.start] === "{") return json;
  const value = json.slice(found.start, found.end);
  return rawJson(`${json.slice(0, found.start)}{"result":${value}}${json.slice(found.end)}`);
};

const isNotFound = (json: RawJson): boolean => {
  const { code, data } = JSON.parse(json) as { code?: unknown; data?: unknown };
  return code === INVALID_PARAMS && isObject(data) && ("uri" in data || data["kind"] === "resource_not_found");
};

const recode = (json: RawJson, from: number, to: number): RawJson => {
  const found = membersOf(json).find((member) => member.key === "code");
  if (!found || Number(json.slice(found.start, found.end)) !== from) return json;
  return rawJson(`${json.slice(0, found.start)}${to}${json.slice(found.end)}`);
};
