/**
 * A table of text and what its cells are written with.
 */
import type { Found } from "./findings.ts";

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Lines under the table. */
  readonly notes: readonly string[];
}

export const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const failureNote = (what: string, found: Found<unknown> | null): string[] =>
  found !== null && "failure" in found ? [`${what}: not measured: ${found.failure}`] : [];
