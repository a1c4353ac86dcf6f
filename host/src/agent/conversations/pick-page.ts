/**
 * One page of a list of conversations: newest first, ids break ties. A cursor names the last one shown, so nothing is shown
 * twice or left out because another one came or went.
 */
import type { ConversationQuery, ConversationSummary } from "../../kernel/conversation.ts";
import { isConversationId } from "./conversation-id.ts";
import { badQuery } from "./conversation-refusals.ts";
import type { Searched } from "./search-conversations.ts";
import { shownOf, type Tally } from "./summarise.ts";

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  readonly nextCursor: string | null;
  /** Of all that match, shown or not. */
  readonly totalCount: number;
  readonly unsearched?: number;
}

interface Place {
  readonly key: string;
  readonly id: string;
}

const MAX_LIMIT = 100;

export const pickPage = ({ rows, unsearched }: Searched<Tally>, query: ConversationQuery): ConversationPage => {
  const { limit, sortBy } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw badQuery(`A page cannot have ${limit} conversations.`, `Give a "limit" from 1 to ${MAX_LIMIT}.`);
  }
  const after = query.cursor === null ? null : readCursor(query.cursor, sortBy);
  const rest = rows.filter((summary) => after === null || isBefore(after, summary, sortBy));
  rest.sort((one, other) => order(one[sortBy], other[sortBy]) || order(one.id, other.id));
  const conversations = rest.slice(0, limit).map(shownOf);
  const last = conversations.at(-1);
  const nextCursor = rest.length > limit && last ? writeCursor({ key: last[sortBy], id: last.id }, sortBy) : null;
  return { conversations, nextCursor, totalCount: rows.length, ...(unsearched > 0 && { unsearched }) };
};

type SortBy = ConversationQuery["sortBy"];

/** The later one first. */
const order = (one: string, other: string): number => Number(one < other) - Number(one > other);

const isBefore = (place: Place, summary: ConversationSummary, sortBy: SortBy): boolean =>
  (order(place.key, summary[sortBy]) || order(place.id, summary.id)) < 0;

const writeCursor = ({ key, id }: Place, sortBy: SortBy): string =>
  Buffer.from(`${sortBy} ${key} ${id}`).toString("base64url");

const readCursor = (cursor: string, sortBy: SortBy): Place => {
  const [sorted, key = "", id = ""] = Buffer.from(cursor.slice(0, 512), "base64url").toString().split(" ");
  if (sorted !== sortBy || key === "" || !isConversationId(id)) {
    throw badQuery("The cursor is none of this list.", `Ask again without "cursor", or with the same "sortBy".`);
  }
  return { key, id };
};
