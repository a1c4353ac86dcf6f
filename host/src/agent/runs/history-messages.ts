/**
 * A stored conversation as a model gets it. What does not fit into its window is left out by whole turns, the oldest first; the
 * file keeps all. Pure.
 */
import type { StoredMessage } from "../../kernel/conversation.ts";
import type { ModelMessage } from "../../kernel/model.ts";
import { turnMessages, type NameFor } from "./turn-messages.ts";

export interface HistoryOptions {
  /** Of the model. */
  readonly windowTokens: number;
  /** Absent: as they are stored. */
  readonly nameFor?: NameFor;
}

export interface History {
  readonly messages: readonly ModelMessage[];
  /** Stored messages that are in it, and those that are left out. */
  readonly sent: number;
  readonly leftOut: number;
}

const SHARE = 0.7;
const CHARACTERS_PER_TOKEN = 4;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** `earlier`: those before the message that is to be answered. */
export const historyMessages = (earlier: readonly StoredMessage[], options: HistoryOptions): History => {
  const { windowTokens, nameFor = (full): string => full } = options;
  let room = windowTokens * SHARE * CHARACTERS_PER_TOKEN;
  let sent = 0;
  const kept: (readonly ModelMessage[])[] = [];
  for (const lines of turnsOf(earlier).toReversed()) {
    const messages = turnMessages(lines, nameFor);
    room -= messages.reduce((sum, message) => sum + lengthOf(message), 0);
    if (room < 0) break;
    kept.push(messages);
    sent += lines.length;
  }
  return { messages: withOwnIds(kept.toReversed().flat()), sent, leftOut: earlier.length - sent };
};

const turnsOf = (stored: readonly StoredMessage[]): readonly (readonly StoredMessage[])[] => {
  const turns: StoredMessage[][] = [];
  for (const line of stored) {
    const current = turns.at(-1);
    if (line.role === "user" || current === undefined) turns.push([line]);
    else current.push(line);
  }
  return turns;
};

const lengthOf = (message: ModelMessage): number => {
  if (message.role === "user") return message.text.length;
  if (message.role === "tool") return message.results.reduce((sum, { text }) => sum + text.length, 0);
  return message.calls.reduce((sum, { name, inputText }) => sum + name.length + inputText.length, message.text.length);
};

/** Ids repeat between runs and within imported ones; in one request an id stands for one call. */
const withOwnIds = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  const taken = new Set<string>();
  const take = (id: string): string => {
    let own = id;
    for (let number = taken.size + 1; !ID.test(own) || taken.has(own); number++) own = `call_${number}`;
    taken.add(own);
    return own;
  };
  let ids: readonly string[] = [];
  return messages.map((message) => {
    if (message.role === "user") return message;
    if (message.role === "assistant") {
      ids = message.calls.map(({ id }) => take(id));
      return { ...message, calls: message.calls.map((call, at) => ({ ...call, id: ids[at] ?? call.id })) };
    }
    return {
      ...message,
      results: message.results.map((result, at) => ({ ...result, callId: ids[at] ?? result.callId })),
    };
  });
};
