/** What is asked of conversations over REST. Only shapes are checked; ids and cursors are where conversations are kept. */
import type { ConversationQuery } from "../kernel/conversation.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RestBody } from "./read-rest-body.ts";

const PARAMETERS = ["limit", "cursor", "search", "sortBy"];
const SORTS: readonly string[] = ["createdAt", "updatedAt"] satisfies ConversationQuery["sortBy"][];
const MOST = 100;
const USUAL = 20;
const MAX_TEXT = 512;
const MAX_TITLE = 1000;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

/** A parameter that is not known is refused: ignored, it would show what was not asked for. */
export const readConversationQuery = (query: URLSearchParams): ConversationQuery => {
  for (const key of query.keys()) {
    const shown = JSON.stringify(key.slice(0, 100));
    if (!PARAMETERS.includes(key)) throw bad(`${shown} is no parameter here.`, `Use: ${PARAMETERS.join(", ")}.`);
    if (query.getAll(key).length > 1) throw bad(`${shown} is there twice.`, "Send it once.");
  }
  const sortBy = query.get("sortBy") ?? "updatedAt";
  if (!SORTS.includes(sortBy)) throw bad('"sortBy" is not known.', `Use one of: ${SORTS.join(", ")}.`);
  const limit = query.get("limit") ?? String(USUAL);
  const count = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MOST) {
    throw bad(`"limit" is not a whole number from 1 to ${MOST}.`, `Send limit=${USUAL}, or leave it out.`);
  }
  return {
    limit: count,
    cursor: readText(query, "cursor"),
    search: readText(query, "search"),
    sortBy: sortBy as ConversationQuery["sortBy"],
  };
};

/** Null: it was not sent, or there is nothing in it. */
const readText = (query: URLSearchParams, key: "cursor" | "search"): string | null => {
  const text = query.get(key) ?? "";
  if (text.length > MAX_TEXT) throw bad(`"${key}" is longer than ${MAX_TEXT} characters.`, "Send a shorter one.");
  return text === "" ? null : text;
};

export const readTitle = ({ value: { title, ...rest } }: RestBody): string => {
  refuseOthers(rest, "title");
  if (typeof title === "string" && title.length <= MAX_TITLE) return title;
  throw bad(
    title === undefined ? '"title" is missing.' : `"title" is not a text of at most ${MAX_TITLE} characters.`,
    'Send {"title": "<text>"}.',
  );
};

/** Before which message; null: all of them are copied. */
export const readForkPlace = ({ value: { atMessage = null, ...rest } }: RestBody): number | null => {
  refuseOthers(rest, "atMessage");
  if (atMessage === null) return null;
  if (Number.isSafeInteger(atMessage) && (atMessage as number) >= 0) return atMessage as number;
  throw bad('"atMessage" is not a whole number from 0 on.', "Send how many messages to copy, or leave it out for all.");
};

const refuseOthers = (rest: object, known: string): void => {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw bad(`${JSON.stringify(other.slice(0, 100))} is no field of this.`, `Use: ${known}.`);
};
