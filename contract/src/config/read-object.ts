/** A file's text as one JSON object, or every fault that keeps it from being one. Never throws. */
import { findJsonFaults } from "./find-json-faults.ts";
import type { Finding } from "./finding.ts";

export type ReadObject =
  | { readonly value: Readonly<Record<string, unknown>>; readonly faults?: never }
  | { readonly value: null; readonly faults: readonly Finding[] };

const BYTE_ORDER_MARK = 0xfeff;

export const readObject = (text: string): ReadObject => {
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  const faults = findJsonFaults(json);
  if (faults.length > 0) return { value: null, faults };
  const root: unknown = JSON.parse(json);
  if (typeof root === "object" && root !== null && !Array.isArray(root)) {
    return { value: root as Readonly<Record<string, unknown>> };
  }
  return { value: null, faults: [{ pointer: "", message: "expected the file to hold one JSON object" }] };
};
