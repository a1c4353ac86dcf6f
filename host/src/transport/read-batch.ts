/** An array of messages as one body or line, which one legacy revision knows. */
import { itemsOf } from "../kernel/scan-json.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { readMessage, type Message } from "./message.ts";
import type { ParsedBody } from "./parse-body.ts";
import { BATCH_VERSION, type JsonObject } from "./protocol.ts";
import type { SessionResponse } from "./session-asks.ts";
import type { Session } from "./sessions.ts";

const MAX_BATCH = 50;

export interface Batch {
  /** Requests and notifications. */
  readonly messages: readonly Message[];
  readonly responses: readonly SessionResponse[];
}

export const readBatch = ({ text, value }: ParsedBody, session: Session): Batch | DoorRefusal => {
  const items = value as readonly JsonObject[];
  if (session.version !== BATCH_VERSION) {
    return badBatch(`An array of messages belongs to ${BATCH_VERSION}; this session speaks ${session.version}.`);
  }
  if (items.length > MAX_BATCH) return badBatch(`The array has ${items.length} messages; ${MAX_BATCH} are the most.`);
  const spans = itemsOf(text);
  const messages: Message[] = [];
  const responses: SessionResponse[] = [];
  for (const [index, item] of items.entries()) {
    const span = spans[index];
    if (item["method"] === "initialize") return badBatch("initialize cannot be in an array.");
    if (!span) continue;
    const own = text.slice(span.start, span.end);
    if (item["method"] === undefined) responses.push({ text: own, value: item });
    else messages.push(readMessage(own, item));
  }
  return { messages, responses };
};

const badBatch = (message: string): DoorRefusal =>
  doorRefusal("bad_request", { message, next: "Send each message in a request of its own." });
