/**
 * The text of a batch on its way to the evidence worker: the packed drafts, and after all of them the texts of their small
 * replies, a line each, which nobody has to take apart there.
 */
const MARK = "=";

export interface DraftBatch {
  readonly drafts: string;
  /** In the order of the drafts, each with a line end. */
  readonly replies: string;
}

/** No draft begins with the mark: what stands there is the type of an event. */
export const joinBatch = ({ drafts, replies }: DraftBatch): string =>
  replies === "" ? drafts : `${MARK}${drafts.length}\n${drafts}${replies}`;

export const splitBatch = (text: string): DraftBatch => {
  if (!text.startsWith(MARK)) return { drafts: text, replies: "" };
  const from = text.indexOf("\n") + 1;
  const end = from + Number(text.slice(MARK.length, from - 1));
  return { drafts: text.slice(from, end), replies: text.slice(end) };
};

/** What travels with drafts and stands in none of their fields, in their order. */
export interface TextsOfDrafts {
  /** Of small replies, each with a line end. */
  readonly replies: string;
  /** Of large ones and of retained payloads. */
  readonly texts: readonly string[];
}

export const NO_TEXTS: TextsOfDrafts = { replies: "", texts: [] };
