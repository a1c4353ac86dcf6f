/** The result of a read of one text. A large one may come with what stands between the quotes of a JSON string already. */
import type { BuiltInContents } from "../../kernel/built-in.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { escapeJson } from "../documents/document-text.ts";

export interface ReadText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  readonly escaped?: string;
  /** What else is said beside the text. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

export const resourceContents = ({ uri, mimeType, text, escaped, beside = {} }: ReadText): BuiltInContents => {
  const head = { uri, mimeType, ...beside };
  // What stands before the text has the same members in the same order as the value.
  const open = JSON.stringify(head).slice(0, -1);
  return {
    json: rawJson(`{"contents":[${open},"text":"${escaped ?? escapeJson(text)}"}]}`),
    value: { contents: [{ ...head, text }] },
  };
};
