/**
 * Which conversations a search finds: every word must occur in title, id or the text of a message. The logs are read for it,
 * the latest first, and no more of them than can be read while somebody waits; of how many that was too much is said.
 */
import type { ConversationSummary } from "../../kernel/conversation.ts";
import { foldText } from "../skills/fold-text.ts";

export interface Texts {
  /** Tells the text of each message and how many bytes were read for it; null: they are more than `most`, and none was read. */
  readonly visit: (id: string, take: (content: string) => void, most: number) => Promise<number | null>;
  /** How many bytes may be read; absent: the usual. */
  readonly mostBytes?: number;
}

export interface Searched<T> {
  readonly rows: readonly T[];
  readonly unsearched: number;
}

const MOST_BYTES = 64 << 20;

/** `search`: null or blank finds all. */
export const searchConversations = async <T extends ConversationSummary>(
  rows: readonly T[],
  search: string | null,
  { visit, mostBytes = MOST_BYTES }: Texts,
): Promise<Searched<T>> => {
  const words = wordsOf(search ?? "");
  if (words.length === 0) return { rows, unsearched: 0 };
  const found: T[] = [];
  let left = mostBytes;
  let unsearched = 0;
  for (const row of rows.toSorted(latestFirst)) {
    const missing = new Set(words);
    const take = (text: string): void => {
      if (missing.size === 0) return;
      const folded = foldText(text);
      for (const word of missing) if (folded.includes(word)) missing.delete(word);
    };
    take(`${row.title}\n${row.preview}\n${row.id}`);
    const read = missing.size === 0 ? 0 : await visit(row.id, take, left);
    if (read === null) unsearched++;
    left -= read ?? 0;
    if (missing.size === 0) found.push(row);
  }
  return { rows: found, unsearched };
};

const latestFirst = (one: ConversationSummary, other: ConversationSummary): number =>
  Number(one.updatedAt < other.updatedAt) - Number(one.updatedAt > other.updatedAt);

const wordsOf = (search: string): readonly string[] =>
  foldText(search)
    .split(/\s+/)
    .filter((word) => word !== "");
