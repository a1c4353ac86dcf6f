/** What the tools of the file store answer with, and their "no". */
import type { BuiltInResult } from "../../kernel/built-in.ts";
import type { FileInfo } from "../../kernel/files.ts";
import { Refusal } from "../../kernel/refusal.ts";

/** The same as text, for clients that know no structured results. */
export const answer = (structuredContent: object): BuiltInResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** `asked`: the id or URI as it came. */
export const found = (asked: string, info: FileInfo | null): FileInfo => {
  if (info === null) throw notFound(asked);
  return info;
};

/** Nothing tells a file of another workspace from one that there is not. */
export const notFound = (asked: string): Refusal => {
  const uri = asked.slice(0, 100);
  return new Refusal("resource_not_found", {
    message: `There is no file ${uri} in this workspace; files__list and files__search show those there are.`,
    next: "Take the id of a file from files__list or files__search and call again.",
    details: { uri },
  });
};

export const unreadable = ({ id, filename }: FileInfo): Refusal =>
  new Refusal("upstream_failed", {
    message: `The bytes of ${filename} (${id}) are missing or damaged on the disk of the host.`,
    next: `Restore them from a backup of the work directory, or remove the file with files__delete.`,
    details: { error: "unreadable" },
  });
