/**
 * One message of a log. Written in one form; read also in the other that programs of this family write: `timestamp` for `ts`,
 * content in parts, calls, skill, model and tokens under `metadata`. What a message cost stands in its line, so that the
 * total can be rebuilt; it is no part of the message.
 */
import type { StoredMessage } from "../../kernel/conversation.ts";
import { HostError } from "../../kernel/host-error.ts";
import { isObject } from "../../kernel/is-object.ts";
import { isoOf } from "./head-line.ts";
import { parseObject } from "./parse-object.ts";
import { readCalls } from "./stored-call.ts";

type Raw = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly message: StoredMessage;
  readonly costUsd: number | null;
}

const NOTHING: Raw = {};
const STOP_REASONS: ReadonlySet<unknown> = new Set(["complete", "max_iterations", "token_budget"]);

export const encodeMessage = (message: StoredMessage, costUsd: number | null): string => {
  const known = readMessage(message as unknown as Raw, null);
  if (known === null) throw new HostError("a message without role, content or time is to be stored");
  return `${JSON.stringify(isAmount(costUsd) ? { ...known, costUsd } : known)}\n`;
};

/** `lastTs`: for a message without a time. Null for what is no message. */
export const decodeMessage = (text: string, lastTs: string | null): Entry | null => {
  const raw = parseObject(text);
  const message = raw && readMessage(raw, lastTs);
  return message && { message, costUsd: isAmount(raw?.["costUsd"]) ? raw["costUsd"] : null };
};

/** Its text alone; null for what is no message. */
export const readText = (line: string): string | null => {
  const raw = parseObject(line);
  return raw && (raw["role"] === "user" || raw["role"] === "assistant") ? readContent(raw["content"]) : null;
};

const readMessage = (raw: Raw, lastTs: string | null): StoredMessage | null => {
  const { role, ts, timestamp } = raw;
  const content = readContent(raw["content"]);
  const time = isoOf(ts) ?? isoOf(timestamp) ?? lastTs;
  if ((role !== "user" && role !== "assistant") || content === null || time === null) return null;
  const metadata = isObject(raw["metadata"]) ? raw["metadata"] : NOTHING;
  return { role, content, ts: time, ...readRest({ ...metadata, ...raw }, metadata) };
};

const readRest = (all: Raw, metadata: Raw): Omit<StoredMessage, "role" | "content" | "ts"> => {
  const usage = isObject(metadata["usage"]) ? metadata["usage"] : NOTHING;
  const calls = readCalls(all["toolCalls"]);
  const inputTokens = all["inputTokens"] ?? usage["inputTokens"];
  const outputTokens = all["outputTokens"] ?? usage["outputTokens"];
  const { skill, model, runId, by, stopReason } = all;
  const files = Array.isArray(all["files"]) ? all["files"].filter((file) => typeof file === "string") : [];
  return {
    ...(calls && { toolCalls: calls }),
    ...(typeof skill === "string" && { skill }),
    ...(typeof model === "string" && { model }),
    ...(isAmount(inputTokens) && { inputTokens }),
    ...(isAmount(outputTokens) && { outputTokens }),
    ...(files.length > 0 && { files }),
    ...(typeof runId === "string" && { runId }),
    ...(typeof by === "string" && { by }),
    ...(STOP_REASONS.has(stopReason) && { stopReason: stopReason as NonNullable<StoredMessage["stopReason"]> }),
    ...(all["interrupted"] === true && { interrupted: true as const }),
  };
};

/** Text, or the text of its parts. */
const readContent = (raw: unknown): string | null => {
  if (typeof raw === "string") return raw;
  if (!Array.isArray(raw)) return null;
  const texts = raw.filter(isObject).map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").join("\n\n");
};

const isAmount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
