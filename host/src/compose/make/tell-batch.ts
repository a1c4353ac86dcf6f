/** What a batch answers about its items. */
import type { CalledOn } from "../workbench.ts";
import type { BatchItem } from "./read-batch.ts";
import type { BatchRun } from "./run-batch.ts";

type Answer = Readonly<Record<string, unknown>>;
type Failed = Extract<CalledOn, { ok: false }>;

interface Told {
  readonly kind: "generated" | "skipped" | "failed" | "cancelled";
  readonly row: Answer;
  readonly failed: Failed | null;
}

const tellItem = ({ content_id }: BatchItem, { outcome, ms }: BatchRun["rows"][number]): Told => {
  const duration_ms = Math.round(ms * 10) / 10;
  if (outcome === null) return { kind: "cancelled", row: { content_id, status: "cancelled" }, failed: null };
  if (!outcome.ok) {
    const { code, message, details } = outcome;
    const row = { content_id, status: "failed", duration_ms, error: { code, message, details } };
    return { kind: "failed", row, failed: outcome };
  }
  const { status, generator, metadata } = outcome.value;
  const { version_id, from_cache = false, fallback } = metadata as Answer;
  const marked = fallback === true ? { fallback } : {};
  const row = { content_id, status, version_id, generator, duration_ms, from_cache, ...marked };
  return { kind: status === "skipped" ? "skipped" : "generated", row, failed: null };
};

export const tellBatch = (items: readonly BatchItem[], { rows, efficiency }: BatchRun): Answer => {
  const told = items.map((item, at) => tellItem(item, rows[at]!));
  const count = (kind: Told["kind"]): number => told.filter((each) => each.kind === kind).length;
  const counts = {
    total: told.length,
    generated: count("generated"),
    skipped: count("skipped"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  };
  const done = counts.generated + counts.skipped;
  const failures = told.flatMap(({ failed, row }) => (failed === null ? [] : [{ id: row["content_id"], failed }]));
  return {
    success: done > 0,
    status: done === 0 ? "batch_failed" : done === counts.total ? "batch_complete" : "batch_partial",
    ...counts,
    results: told.map(({ row }) => row),
    errors: failures.map(({ id, failed }) => ({ content_id: id, code: failed.code, message: failed.message })),
    parallel_efficiency: Math.round(efficiency * 1000) / 1000,
    ...(done > 0
      ? {}
      : {
          error: tellError(
            failures.map(({ failed }) => failed),
            counts,
          ),
        }),
  };
};

const tellError = (failures: readonly Failed[], counts: Answer & { readonly total: number }): Answer => {
  const [first] = failures;
  const message = `None of ${counts.total} texts was made: ${first?.message ?? "there was no time to begin."}`;
  const isOne = first !== undefined && failures.every(({ code }) => code === first.code);
  const { retry_after_ms, next } = first?.details ?? {};
  return {
    // One symptom has one name, of one text and of many.
    code: isOne ? first.code : "generation_failed",
    message,
    details: {
      ...counts,
      ...(isOne && retry_after_ms !== undefined ? { retry_after_ms } : {}),
      ...(next === undefined ? {} : { next }),
    },
  };
};
