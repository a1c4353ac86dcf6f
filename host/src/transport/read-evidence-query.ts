/** What is asked of evidence over REST. A parameter that is not known is refused: ignored, a filter would show too much. */
import type { EventQuery, ExportFormat, ExportQuery } from "../kernel/archive.ts";
import { Refusal } from "../kernel/refusal.ts";

const FILTERS = ["correlation", "invocation", "capability", "subject", "type", "outcome"] as const;
const FORMATS: readonly string[] = ["bundle", "jsonl", "csv", "otel"] satisfies ExportFormat[];
const USUAL = 100;
const MOST = 1000;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

const refuseUnknown = (query: URLSearchParams, known: readonly string[]): void => {
  for (const key of query.keys()) {
    const shown = JSON.stringify(key.slice(0, 100));
    if (!known.includes(key)) throw bad(`${shown} is no parameter here.`, `Use: ${known.join(", ")}.`);
    if (query.getAll(key).length > 1) throw bad(`${shown} is there twice.`, "Send it once.");
  }
};

/** A whole number from `least` on; absent where it was not sent. */
const readNumber = (query: URLSearchParams, key: string, [least, most]: readonly [number, number]) => {
  const text = query.get(key);
  if (text === null) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw bad(`"${key}" is not a whole number from ${least} to ${most}.`, "Send one, or leave it out.");
};

const readText = (query: URLSearchParams, key: string): string | undefined => {
  const text = query.get(key);
  if (text === "") throw bad(`"${key}" is empty.`, "Send what to look for, or leave it out.");
  return text ?? undefined;
};

export const readEventQuery = (query: URLSearchParams): EventQuery => {
  refuseUnknown(query, [...FILTERS, "limit", "cursor"]);
  const filters: Partial<Record<(typeof FILTERS)[number], string>> = {};
  for (const key of FILTERS) {
    const text = readText(query, key);
    if (text !== undefined) filters[key] = text;
  }
  const before = readNumber(query, "cursor", [0, Number.MAX_SAFE_INTEGER]);
  const limit = readNumber(query, "limit", [1, MOST]) ?? USUAL;
  return { ...filters, limit, ...(before === undefined ? {} : { before }) };
};

export const readExportQuery = (query: URLSearchParams): ExportQuery => {
  refuseUnknown(query, ["format", "correlation", "from", "to", "payloads"]);
  const format = query.get("format") ?? "jsonl";
  if (!FORMATS.includes(format)) throw bad('"format" is not known.', `Use one of: ${FORMATS.join(", ")}.`);
  const payloads = query.get("payloads") ?? "true";
  if (payloads !== "true" && payloads !== "false") {
    throw bad('"payloads" is neither true nor false.', "Send payloads=false to withhold them, or leave it out.");
  }
  const correlation = readText(query, "correlation");
  const from = readNumber(query, "from", [0, Number.MAX_SAFE_INTEGER]);
  const to = readNumber(query, "to", [0, Number.MAX_SAFE_INTEGER]);
  if (correlation !== undefined && (from ?? to) !== undefined && (format === "bundle" || format === "jsonl")) {
    throw bad("A correlation is exported whole.", 'Leave out "from" and "to", or "correlation".');
  }
  return {
    format: format as ExportFormat,
    payloads: payloads === "true",
    ...(correlation === undefined ? {} : { correlation }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};

export const readVerifyQuery = (query: URLSearchParams): string => {
  refuseUnknown(query, ["correlation"]);
  const correlation = readText(query, "correlation");
  if (correlation !== undefined) return correlation;
  throw bad(
    "It is not said which correlation to verify.",
    'Send ?correlation=<id>; the whole log is verified by "bailiwick evidence verify".',
  );
};
