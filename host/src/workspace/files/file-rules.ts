/** What a file may be called and labelled with. Everything here is refused before anything is written. */
import type { NewFile } from "../../kernel/files.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { mimeTypeOf } from "./mime-type-of.ts";

const MAX_NAME = 255;
const MAX_TAGS = 32;
const MAX_TAG = 64;
const MAX_DESCRIPTION = 2_000;

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const CONTROL_IN_PROSE = /[^\P{Cc}\t\n\r]/u;
const SEPARATOR = /[/\\]/;
const MIME_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?;[\x20-\x7e]{0,200})?$/;

export interface FileLabel {
  readonly filename: string;
  readonly mimeType: string;
  readonly tags: readonly string[];
  readonly description: string | null;
}

export const labelOf = ({ filename, mimeType, tags, description }: NewFile): FileLabel => {
  checkName(filename);
  const type = mimeTypeOf(filename, mimeType);
  if (!MIME_TYPE.test(type)) throw invalidInput("/mimeType", "must be a media type such as text/plain");
  if (description !== undefined) checkDescription(description);
  return { filename, mimeType: type, tags: checkTags(tags ?? [], "/tags"), description: description || null };
};

/** The tags afterwards: those that stay in their order, then the new ones. */
export const changeTags = (
  tags: readonly string[],
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
): readonly string[] => {
  const both = change.add.find((tag) => change.remove.includes(tag));
  if (both !== undefined) throw invalidInput("/add", `and /remove both have ${JSON.stringify(both)}`);
  const kept = tags.filter((tag) => !change.remove.includes(tag));
  return checkTags([...kept, ...change.add], "/add");
};

export const invalidInput = (path: string, reason: string): Refusal =>
  new Refusal("invalid_input", {
    message: `Invalid input: ${path} ${reason}.`,
    next: `Correct ${path} and call again.`,
    details: { path, reason },
  });

const checkName = (name: string): void => {
  const wrong = wrongLine(name, MAX_NAME);
  if (wrong !== null) throw invalidInput("/filename", wrong);
  if (SEPARATOR.test(name)) throw invalidInput("/filename", "must be a name without / and \\");
  if (name === "." || name === "..") throw invalidInput("/filename", "must not be . or ..");
};

const checkTags = (tags: readonly string[], path: string): readonly string[] => {
  const distinct = new Set(tags);
  if (distinct.size > MAX_TAGS) throw invalidInput(path, `must leave a file with at most ${MAX_TAGS} tags`);
  for (const tag of distinct) {
    const wrong = wrongLine(tag, MAX_TAG);
    if (wrong !== null) throw invalidInput(path, `must hold tags each of which is sound; one ${wrong}`);
  }
  return Array.from(distinct);
};

const checkDescription = (text: string): void => {
  if (longerThan(text, MAX_DESCRIPTION))
    throw invalidInput("/description", `must be at most ${MAX_DESCRIPTION} characters`);
  if (CONTROL_IN_PROSE.test(text)) throw invalidInput("/description", "must be without control characters");
  if (!text.isWellFormed()) throw invalidInput("/description", "must be without half surrogate pairs");
};

const wrongLine = (text: string, most: number): string | null => {
  if (text.trim() === "") return "must not be empty";
  if (longerThan(text, most)) return `must be at most ${most} characters`;
  if (CONTROL.test(text)) return "must be without control characters";
  return text.isWellFormed() ? null : "must be without half surrogate pairs";
};

/** Counts code points, as JSON Schema does. */
const longerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || Array.from(text).length > most);
