/** `capabilities://tools`, and `capabilities://tools/{provider}`: entries that were written before, joined by category. */
import { DocumentText } from "./document-text.ts";
import { TOOL_CATEGORIES, type ToolCategory } from "./tool-categories.ts";
import type { ToolEntry } from "./tool-entry.ts";

export interface ToolsFacts {
  /** In the order of `tools/list`. */
  readonly entries: readonly ToolEntry[];
  /** Of each its typical time, as `performance.typical_ms` has it. */
  readonly typicals: readonly string[];
  readonly version: string;
}

export const toolsDocument = ({ entries, typicals, version }: ToolsFacts): DocumentText => {
  const shelves = new Map<ToolCategory, Shelf>();
  for (const [at, entry] of entries.entries()) {
    let shelf = shelves.get(entry.category);
    if (shelf === undefined) shelves.set(entry.category, (shelf = { text: "", escaped: "" }));
    const typical = typicals[at] ?? entry.typical;
    const comma = shelf.text === "" ? "" : ",";
    // Digits, letters, `-` and `<`: nothing in it has to be escaped.
    shelf.text += `${comma}${entry.head}"${typical}"${entry.tail}`;
    shelf.escaped += `${comma}${entry.escapedHead}\\"${typical}\\"${entry.escapedTail}`;
  }
  return joinShelves(shelves, DocumentText.of({ metadata: { total_count: entries.length, version } }));
};

/** Built up by adding: texts that are added are not copied until the whole is sent. */
interface Shelf {
  text: string;
  escaped: string;
}

const joinShelves = (shelves: ReadonlyMap<ToolCategory, Shelf>, metadata: DocumentText): DocumentText => {
  let text = "";
  let escaped = "";
  for (const category of TOOL_CATEGORIES) {
    const shelf = shelves.get(category);
    if (shelf === undefined) continue;
    const comma = text === "" ? "" : ",";
    text += `${comma}"${category}":[${shelf.text}]`;
    escaped += `${comma}\\"${category}\\":[${shelf.escaped}]`;
  }
  return new DocumentText(
    `{"tools_by_category":{${text}},${metadata.text.slice(1)}`,
    `{\\"tools_by_category\\":{${escaped}},${metadata.escaped.slice(1)}`,
  );
};
