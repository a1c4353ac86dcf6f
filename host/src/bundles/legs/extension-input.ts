/**
 * Tells the questions for the host's extensions from those for the caller, in an `input_required` result and in the state
 * that carries them over. Whatever a server puts there is hostile until it is read here. Pure.
 */
import { EXTENSION_METHODS } from "../../kernel/host-extension.ts";
import type { ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import {
  findJsonDefect,
  insertMembers,
  joinMembers,
  memberOf,
  membersOf,
  sliceJson,
  type Span,
} from "../../kernel/scan-json.ts";
import { isObject, type JsonObject } from "./read-message.ts";

/** One question of the server that the host itself answers. */
export interface Owned {
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
}

/** What a server asked in one result. */
export interface AskedInput {
  readonly owned: readonly Owned[];
  /** Keys of the questions for the caller. */
  readonly passed: readonly string[];
  /** The server's own state, as it came. */
  readonly state: RawJson | null;
}

export interface SplitInput extends AskedInput {
  /** The result as it is handed on, without what is ours, and with a state that says what was asked; null: all is ours. */
  readonly rest: { readonly json: RawJson; readonly value: JsonObject } | null;
}

type Partial = Extract<ProviderAnswer, { kind: "partial" }>;

const MAX_ASKED = 1_024;
const WALK = { maxDepth: 64, numbers: false } as const;
const MARK = "bailiwick:extensions:";

/** Null: it is not what the protocol describes, which others will say. */
export const splitInput = ({ json, value }: Partial): SplitInput | null => {
  const { inputRequests: requests = {}, requestState } = value;
  if (!isObject(requests) || (requestState !== undefined && typeof requestState !== "string")) return null;
  const keys = Object.keys(requests);
  if (keys.length > MAX_ASKED || (keys.length === 0 && requestState === undefined)) return null;
  if (findJsonDefect(json, WALK) !== null) return null;
  const owned = readOwned(Object.entries(requests));
  const ours = new Set(owned.map(({ key }) => key));
  const span = memberOf(json, "requestState");
  const asked = { owned, passed: keys.filter((key) => !ours.has(key)), state: span && sliceJson(json, span) };
  const isAllOurs = owned.length > 0 && asked.passed.length === 0;
  return { ...asked, rest: isAllOurs ? null : handOn(json, ours, asked) };
};

/** Those of the questions, by their keys, that are for the host. */
export const readOwned = (requests: readonly (readonly [string, unknown])[]): readonly Owned[] =>
  requests.flatMap(([key, request]) => {
    const method = isObject(request) ? request["method"] : null;
    if (!isObject(request) || typeof method !== "string" || !method.startsWith(EXTENSION_METHODS)) return [];
    return [{ key, method, params: request["params"] }];
  });

const handOn = (json: RawJson, ours: ReadonlySet<string>, asked: AskedInput): NonNullable<SplitInput["rest"]> => {
  const rest = withState(ours.size === 0 ? json : withoutOwned(json, ours), wrapState(asked));
  return { json: rest, value: JSON.parse(rest) as JsonObject };
};

const withoutOwned = (json: RawJson, ours: ReadonlySet<string>): RawJson => {
  const { start, end } = memberOf(json, "inputRequests") as Span;
  const others = membersOf(json, start).filter(({ key }) => !ours.has(key));
  return rawJson(`${json.slice(0, start)}{${joinMembers(json, others)}}${json.slice(end)}`);
};

const withState = (json: RawJson, state: RawJson): RawJson => {
  const own = memberOf(json, "requestState");
  if (own === null) return insertMembers(json, rawMembers(`"requestState":${state}`));
  return rawJson(`${json.slice(0, own.start)}${state}${json.slice(own.end)}`);
};

/** The host seals it before a caller sees it. */
const wrapState = ({ owned, passed, state }: AskedInput): RawJson =>
  rawJson(JSON.stringify(`${MARK}${JSON.stringify({ owned, passed, state })}`));

/** Null: it is the server's own. */
export const unwrapState = (wrapped: RawJson): AskedInput | null => {
  const text: unknown = JSON.parse(wrapped);
  if (typeof text !== "string" || !text.startsWith(MARK)) return null;
  try {
    return readWrapped(JSON.parse(text.slice(MARK.length)));
  } catch {
    return null;
  }
};

const readWrapped = (value: unknown): AskedInput | null => {
  if (!isObject(value)) return null;
  const { owned: list, passed, state } = value;
  if (!Array.isArray(list) || list.length > MAX_ASKED || !list.every(isObject)) return null;
  if (!Array.isArray(passed) || !passed.every((key) => typeof key === "string")) return null;
  const owned = readOwned(list.map((each) => [String(each["key"]), each] as const));
  if (state === null) return { owned, passed, state };
  if (typeof state !== "string" || typeof JSON.parse(state) !== "string") return null;
  return { owned, passed, state: rawJson(state) };
};
