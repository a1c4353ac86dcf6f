/**
 * A task as its caller sees it: its server's words under the host's id. All else stays as it came, but for what the host
 * changes in every result: its own `_meta` keys, the URIs of the common endpoint, and who asks.
 */
import type { Ask } from "../../kernel/ask.ts";
import { dropHostMembers, dropHostMeta } from "../../kernel/drop-host-members.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { toEndpoint } from "../../kernel/rewrite-uris.ts";
import { memberOf, membersOf } from "../../kernel/scan-json.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";
import { readInputRequests } from "./input-requests.ts";
import { nameAsker } from "./name-asker.ts";

type Json = Readonly<Record<string, unknown>>;

export interface TaskText {
  readonly json: RawJson;
  readonly value: Json;
}

export interface TaskViewer {
  readonly task: Pick<TaskRecord, "id" | "provider">;
  /** The endpoint that it is shown on; null: the one of all providers. */
  readonly endpoint: string | null;
}

export const viewTask = ({ json }: TaskText, viewer: TaskViewer): RawJson => {
  let text: string = json;
  for (const { key, start, end } of membersOf(text).toReversed()) {
    const shown = showMember(key, rawJson(text.slice(start, end)), viewer);
    if (shown !== null) text = text.slice(0, start) + shown + text.slice(end);
  }
  return rawJson(text);
};

const showMember = (key: string, value: RawJson, viewer: TaskViewer): string | null => {
  if (key === "taskId") return JSON.stringify(viewer.task.id);
  if (value[0] !== "{") return null;
  if (key === "_meta") return dropHostMembers(value);
  if (key === "result") return showResult(value, viewer);
  return key === "inputRequests" && viewer.endpoint === null ? nameRequests(value, viewer.task.provider) : null;
};

const showResult = (result: RawJson, { task, endpoint }: TaskViewer): RawJson => {
  const own = dropHostMeta(result, JSON.parse(result) as Json);
  return endpoint === null ? toEndpoint(own, task.provider, "call") : own;
};

/** Only the text of an elicitation differs. */
const nameRequests = (requests: RawJson, provider: string): string => {
  let text: string = requests;
  for (const { start, end } of membersOf(text).toReversed()) {
    const params = text[start] === "{" ? memberOf(text, "params", start) : null;
    if (!params || text[params.start] !== "{") continue;
    const { method } = JSON.parse(text.slice(start, end)) as { method?: unknown };
    if (method !== "elicitation/create") continue;
    const ask: Ask = { method, key: null, params: rawJson(text.slice(params.start, params.end)) };
    text = text.slice(0, params.start) + nameAsker(ask, provider).params + text.slice(params.end);
  }
  return text;
};

/** What a task asks its caller; null: that is not what the protocol describes. */
export const questionsOf = ({ json, value }: TaskText): readonly Ask[] | null => {
  const { inputRequests } = value;
  if (inputRequests === undefined) return NO_QUESTIONS;
  if (typeof inputRequests !== "object" || inputRequests === null) return null;
  if (Object.keys(inputRequests).length === 0) return Array.isArray(inputRequests) ? null : NO_QUESTIONS;
  return readInputRequests(json)?.asks ?? null;
};

const NO_QUESTIONS: readonly Ask[] = [];
