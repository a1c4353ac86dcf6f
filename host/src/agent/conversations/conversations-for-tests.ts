/** What the tests of the conversations share: a folder that goes away, stores, messages to put in. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ConversationQuery, Conversations, StoredMessage } from "../../kernel/conversation.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createMemoryConversations } from "./create-memory-conversations.ts";
import { openConversations } from "./open-conversations.ts";

export const QUERY: ConversationQuery = { limit: 20, cursor: null, search: null, sortBy: "updatedAt" };

export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-conversations-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const openIn = (dir: string): Conversations => {
  const store = openConversations({ dir, now: Date.now });
  onTestFinished(() => store.close());
  return store;
};

export const STORES: Readonly<Record<string, () => Conversations>> = {
  "in a folder": () => openIn(join(temporaryDir(), "ws", "conversations")),
  "in memory": () => createMemoryConversations(),
};

export const question = (content: string, over: Partial<StoredMessage> = {}): StoredMessage => ({
  role: "user",
  content,
  ts: new Date().toISOString(),
  ...over,
});

export const answer = (content: string, over: Partial<StoredMessage> = {}): StoredMessage =>
  question(content, { role: "assistant", ...over });

export const logOf = (dir: string, id: string): string => join(dir, `${id}.jsonl`);
export const metaOf = (dir: string, id: string): string => join(dir, `${id}.meta.json`);
export const linesOf = (dir: string, id: string): string[] => readFileSync(logOf(dir, id), "utf8").split("\n");

/** A log as another program may have left it. */
export const plant = (dir: string, id: string, lines: readonly (string | object)[]): void => {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  writeFileSync(logOf(dir, id), text);
};

/** The refusal that the work ends with; fails when it ends in any other way. */
export const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work;
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("it was not refused");
};
