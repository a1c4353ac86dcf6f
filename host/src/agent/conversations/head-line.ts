/** Line 1 of a log: which conversation it is. It is written once and never again. */
import type { ConversationHead } from "../../kernel/conversation.ts";
import { isObject } from "../../kernel/is-object.ts";
import { isConversationId } from "./conversation-id.ts";
import { parseObject } from "./parse-object.ts";

/** `title`: some programs write one there; null: none. */
export interface HeadLine {
  readonly id: string;
  readonly createdAt: string | null;
  readonly forkedFrom: ConversationHead["forkedFrom"] | null;
  readonly title: string | null;
  /** Of a fork; null: it does not say. */
  readonly by: string | null;
}

export const encodeHead = ({ id, createdAt, forkedFrom, by }: ConversationHead): string =>
  `${JSON.stringify({ id, createdAt, ...(forkedFrom && { forkedFrom }), ...(by !== undefined && { by }) })}\n`;

/** Null for what is none. */
export const decodeHead = (text: string): HeadLine | null => {
  const raw = parseObject(text);
  if (raw === null || typeof raw["id"] !== "string" || "role" in raw) return null;
  const { id, createdAt, title, by } = raw;
  const forkedFrom = decodeFork(raw["forkedFrom"]);
  return {
    id,
    createdAt: isoOf(createdAt),
    forkedFrom,
    by: forkedFrom !== null && typeof by === "string" ? by : null,
    title: typeof title === "string" ? title : null,
  };
};

const decodeFork = (raw: unknown): ConversationHead["forkedFrom"] | null => {
  if (!isObject(raw)) return null;
  const { id, atMessage } = raw;
  if (typeof id !== "string" || !isConversationId(id)) return null;
  return Number.isSafeInteger(atMessage) && (atMessage as number) >= 0 ? { id, atMessage: atMessage as number } : null;
};

/** A date in any form that JavaScript reads, in the one form that sorts as text; null for anything else. */
export const isoOf = (raw: unknown): string | null => {
  if (typeof raw !== "string" && typeof raw !== "number") return null;
  const date = new Date(raw);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : null;
};
