/**
 * What of the log goes, and the events that say so: whole correlations on demand or by age, payloads one by one. The host's
 * own records, what is held and what has an open call stay. Works in slices, so that nobody waits long.
 */
import type { EvidenceDraft } from "../kernel/evidence.ts";
import { stable } from "../kernel/stable.ts";
import { correlationOfLine } from "./event-line.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import type { RetainedLines } from "./retained-lines.ts";
import { timeOfBatch } from "./stored-batches.ts";
import { HOST_CAPABILITY } from "../kernel/host-capability.ts";

export interface PurgeOrder {
  readonly correlationIds: readonly string[];
  /** Why, as the event has it: `days:30`, `requested`. */
  readonly policy: string;
}

export interface PurgeOutcome {
  /** Events that are gone. */
  readonly events: number;
  /** Asked for, and still there. */
  readonly kept: readonly { readonly correlationId: string; readonly reason: "host" | "open" }[];
}

export interface RetentionOrder {
  /** Whole correlations whose newest event is older go. */
  readonly days: number;
  /** Correlation ids that stay; one that ends with `*` is a beginning. */
  readonly holds: readonly string[];
  /** Ms. */
  readonly now: number;
  /** Hears of what is gone. */
  readonly purged?: (correlationIds: readonly string[]) => void;
}

export interface RetentionSlice {
  /** What has its newest event before this time (ms) goes. */
  readonly before: number;
  readonly holds: readonly string[];
  readonly policy: string;
}

export interface RetentionStep {
  readonly events: number;
  readonly purged: readonly string[];
  readonly isDone: boolean;
}

/** Others wait meanwhile. */
const SLICE_MS = 4;
const MAX_SLICE_CORRELATIONS = 128;

const hostDraft = (hostId: string, type: string, payload: Readonly<Record<string, unknown>>): EvidenceDraft => ({
  type,
  invocationId: "host",
  capabilityId: HOST_CAPABILITY,
  capabilityVersion: null,
  correlation: { id: `host-retention-${hostId}`, causationId: null, parentId: null, traceId: null, fresh: false },
  outcome: null,
  payload: stable(payload),
  subject: "null",
  error: "null",
  denial: "null",
});

/** The host's own correlations are named `host-<topic>-<host id>`. */
const isHostSelf = (id: string, hostId: string): boolean => id.startsWith("host-") && id.endsWith(`-${hostId}`);

export const isHeld = (id: string, holds: readonly string[]): boolean =>
  holds.some((hold) => (hold.endsWith("*") ? id.startsWith(hold.slice(0, -1)) : id === hold));

interface Purge {
  readonly ids: ReadonlySet<string>;
  readonly policy: string;
  /** What else belongs into its transaction. */
  readonly beside?: (lines: RetainedLines) => void;
}

const purgeAll = (store: EvidenceStore, { ids, policy, beside }: Purge): number => {
  let events = 0;
  store.retain((lines) => {
    beside?.(lines);
    const gone = lines.purge(ids);
    if (gone === null) return null;
    events = gone.count;
    const payload = { first_sequence: gone.first, last_sequence: gone.last, count: gone.count, policy };
    return { draft: hostDraft(store.hostId, "evidence_purged", payload), purged: [...ids] };
  });
  return events;
};

export const purgeCorrelations = (store: EvidenceStore, { correlationIds, policy }: PurgeOrder): PurgeOutcome => {
  const open = store.openCalls.correlations();
  const kept: PurgeOutcome["kept"][number][] = [];
  const ids = new Set<string>();
  for (const correlationId of correlationIds) {
    if (isHostSelf(correlationId, store.hostId)) kept.push({ correlationId, reason: "host" });
    else if (open.has(correlationId)) kept.push({ correlationId, reason: "open" });
    else ids.add(correlationId);
  }
  const events = purgeAll(store, { ids, policy });
  store.tidyJournal();
  return { events, kept };
};

/**
 * Looks at what comes next and purges what is due of it. Where it came to is kept, so that nothing is looked at twice: what
 * is too young for now is met again where its newest event stands.
 */
export const retainSlice = (store: EvidenceStore, slice: RetentionSlice): RetentionStep => {
  const isDue = dueBy(store, slice);
  const ids = new Set<string>();
  const until = performance.now() + SLICE_MS;
  let next = store.retentionPlace(slice.holds);
  let batch = store.batches.at(next);
  while (batch !== null && timeOfBatch(batch) < slice.before) {
    const end = batch.first + batch.lines.length;
    for (; next < end && ids.size < MAX_SLICE_CORRELATIONS; next++) {
      const line = batch.lines[next - batch.first] ?? "";
      const id = line === "" ? "" : correlationOfLine(line);
      if (line !== "" && !ids.has(id) && isDue(id)) ids.add(id);
    }
    if (next < end || performance.now() > until) break;
    batch = store.batches.at(next);
  }
  const isDone = batch === null || timeOfBatch(batch) >= slice.before;
  const { policy, holds } = slice;
  const events = purgeAll(store, { ids, policy, beside: (lines) => lines.keepPlace(next, holds) });
  if (isDone) store.tidyJournal();
  return { events, purged: [...ids], isDone };
};

const dueBy = (store: EvidenceStore, { before, holds }: RetentionSlice): ((id: string) => boolean) => {
  const open = store.openCalls.correlations();
  const times = new Map<number, number>();
  const timeOf = (first: number): number => {
    const batch = times.has(first) ? null : store.batches.at(first);
    if (batch !== null) times.set(first, timeOfBatch(batch));
    return times.get(first) ?? 0;
  };
  return (id) => {
    if (isHostSelf(id, store.hostId) || isHeld(id, holds) || open.has(id)) return false;
    const newest = store.newestOf(id);
    return newest === null || timeOf(newest) < before;
  };
};

/** Writes `{"chp_withheld":true}` in the place of a payload. False when there was none to withhold. */
export const withholdPayload = (store: EvidenceStore, sequence: number): boolean => {
  const written = store.retain((lines) => {
    const withheld = lines.withhold(sequence);
    if (withheld === null) return null;
    const payload = { sequence, event_id: withheld.event_id, correlation_id: withheld.correlationId };
    return { draft: hostDraft(store.hostId, "evidence_redacted", payload), purged: [] };
  });
  store.tidyJournal();
  return written !== null;
};
