/** A conversation as JSON text, some messages at a time: the whole of a long one would be in memory twice. */
import type { Conversation } from "../kernel/conversation.ts";

const PART_CHARS = 65_536;

export async function* historyParts({
  head,
  messages,
  defect,
}: Pick<Conversation, "head" | "messages" | "defect">): AsyncGenerator<string, void> {
  // Those that a run adds meanwhile are for the next who asks.
  const { length } = messages;
  let part = `{"conversationId":${JSON.stringify(head.id)},"messages":[`;
  for (let at = 0; at < length; at++) {
    part += `${at === 0 ? "" : ","}${JSON.stringify(messages[at])}`;
    if (part.length < PART_CHARS) continue;
    yield part;
    part = "";
  }
  yield `${part}]${defect === null ? "" : `,"defect":${JSON.stringify(defect)}`}}`;
}
