/** The correlation of an event as the log has it, and as drafts have it. */
import type { Correlation } from "../kernel/evidence.ts";

export interface StoredCorrelation {
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly parent_correlation_id: string | null;
  readonly trace_id: string | null;
}

export const correlationOf = (stored: StoredCorrelation): Correlation => ({
  id: stored.correlation_id,
  causationId: stored.causation_id,
  parentId: stored.parent_correlation_id,
  traceId: stored.trace_id,
  fresh: false,
});
