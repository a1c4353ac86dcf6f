/** What the log says of the call that a reply is the answer to: it does not stand in the reply again. */
import type { EventGroup, KeptReply, Outcome } from "../kernel/evidence.ts";
import type { ReplyEvents } from "./replies-format.ts";
import type { StoredBatches } from "./stored-batches.ts";
import { correlationOf, type StoredCorrelation } from "./stored-correlation.ts";

interface StoredEvent {
  readonly event_id: string;
  readonly invocation_id: string;
  readonly capability_id: string;
  readonly capability_version: string | null;
  readonly outcome: Outcome | null;
  readonly timestamp: string;
  readonly correlation: StoredCorrelation;
}

/** Null: the events are not there. */
export const recordedWith = (
  batches: Pick<StoredBatches, "at">,
  { ended, begun }: ReplyEvents,
): Pick<KeptReply, "eventIds" | "call"> | null => {
  const earlier = begun === null ? [] : eventsOf(batches, begun);
  const events = eventsOf(batches, ended);
  const last = events?.at(-1);
  if (earlier === null || events === null || last === undefined) return null;
  const call = {
    invocationId: last.invocation_id,
    correlation: correlationOf(last.correlation),
    capabilityId: last.capability_id,
    capabilityVersion: last.capability_version,
    outcome: last.outcome,
    at: Date.parse(last.timestamp),
    begunAt: earlier[0] === undefined ? null : Date.parse(earlier[0].timestamp),
  };
  return { eventIds: [...earlier, ...events].map(({ event_id }) => event_id), call };
};

const eventsOf = (batches: Pick<StoredBatches, "at">, { sequence, count }: EventGroup): StoredEvent[] | null => {
  const batch = batches.at(sequence);
  if (batch === null) return null;
  const end = sequence - batch.first + 1;
  const lines = batch.lines.slice(Math.max(0, end - count), end);
  return lines.length < count || lines.includes("") ? null : lines.map((line) => JSON.parse(line) as StoredEvent);
};
