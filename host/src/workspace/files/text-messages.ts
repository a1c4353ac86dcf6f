/** What the stores and the thread that knows their text say to each other. A workspace is named by the folder of its files. */
import type { FileSearch } from "../../kernel/files.ts";

export interface TextSearch {
  readonly folder: string;
  /** As `searchTerms` gives them. */
  readonly terms: readonly string[];
  readonly filter: Omit<FileSearch, "query">;
  /** ms since the epoch. */
  readonly until: number;
}

export interface Hits {
  /** Best first. */
  readonly ids: readonly string[];
  /** Of all that match. */
  readonly total: number;
}

export type ToTextThread =
  /** There is text that is not indexed yet, or of files that are gone. */
  | { readonly ask: "follow"; readonly folder: string; readonly gone: number | null }
  | ({ readonly ask: "search" } & TextSearch)
  /** Let go of what is open of it. */
  | { readonly ask: "leave"; readonly folder: string }
  | { readonly ask: "end" };

export interface TextRequest {
  readonly number: number;
  readonly message: ToTextThread;
}

export type TextReply =
  | { readonly number: number; readonly kind: "done" }
  | { readonly number: number; readonly kind: "found"; readonly hits: Hits }
  /** Its time was over before it was done. */
  | { readonly number: number; readonly kind: "late" }
  | { readonly number: number; readonly kind: "failed"; readonly reason: string };
