/** Takes evidence out when a person asks for it. Who asked and why is durable before anything goes, and signed after it. */
import type { Archive } from "../kernel/archive.ts";
import type { EvidenceRemoval } from "../kernel/evidence-removal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { OpenEvidenceLog } from "../storage/open-evidence-log.ts";
import { isHeld, type PurgeOutcome } from "../storage/retention.ts";
import type { HostEvents } from "./record-host-events.ts";

const TOPIC = "retention";

export interface RemovalParts {
  readonly hostId: string;
  readonly log: Pick<OpenEvidenceLog, "purge" | "redactPayload" | "checkpoint">;
  readonly archive: Pick<Archive, "event" | "replay">;
  readonly events: Pick<HostEvents, "write">;
  /** Hears of correlations that are gone. */
  readonly purged: (correlationIds: readonly string[]) => void;
  /** `evidence.retention.holds` */
  readonly holds: readonly string[];
}

export const createEvidenceRemoval = ({
  hostId,
  log,
  archive,
  events,
  purged,
  holds,
}: RemovalParts): EvidenceRemoval => {
  const refuseHeld = (correlation: string): void => {
    if (isHeld(correlation, holds)) throw held(correlation);
  };
  return {
    async purge({ correlation, reason }, by) {
      const query = { correlationId: correlation, limit: 1, sinceSequence: 0, includePayloads: false };
      if ((await archive.replay(by, query))["event_count"] === 0) throw unknownCorrelation();
      refuseHeld(correlation);
      await events.write("evidence_purge_asked", TOPIC, { correlation, by: by.id, reason });
      const { events: count, kept } = await log.purge({ correlationIds: [correlation], policy: "requested" });
      if (kept[0] !== undefined) throw stays(kept[0]);
      purged([correlation]);
      await log.checkpoint();
      return { correlation, events: count };
    },
    async redact({ event: id, reason }, by) {
      const event = await archive.event(by, id);
      if (event === null) throw unknownEvent();
      const { sequence, event_id, correlation } = event as unknown as SeenEvent;
      refuseHeld(correlation.correlation_id);
      if (correlation.correlation_id === `host-${TOPIC}-${hostId}`) throw account();
      await events.write("evidence_redact_asked", TOPIC, { sequence, event_id, by: by.id, reason });
      await log.redactPayload(sequence);
      await log.checkpoint();
      return { sequence, event_id };
    },
  };
};

interface SeenEvent {
  readonly sequence: number;
  readonly event_id: string;
  readonly correlation: { readonly correlation_id: string };
}

const unknownCorrelation = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such correlation, or it is not yours to see.",
    next: "List the events there are: bailiwick evidence tail --json. Permission evidence:read shows those of others.",
  });

const unknownEvent = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such event, or it is not yours to see.",
    next: "List those there are: bailiwick evidence tail. Permission evidence:read shows those of others.",
  });

const held = (correlation: string): Refusal =>
  new Refusal("protected", {
    message: `${correlation} is held by evidence.retention.holds.`,
    next: "Take it out of evidence.retention.holds in the configuration and start the host again, if it may go.",
  });

const account = (): Refusal =>
  new Refusal("protected", {
    message: "What tells of evidence that was taken out is not taken out itself.",
    next: "Nothing can be done about this one.",
  });

const stays = ({ correlationId, reason }: PurgeOutcome["kept"][number]): Refusal =>
  reason === "open"
    ? new Refusal("run_in_progress", {
        message: `A call of ${correlationId} has not ended.`,
        next: "Repeat it when the call has ended: bailiwick evidence trace shows it.",
      })
    : new Refusal("protected", {
        message: `${correlationId} holds the host's own records, which stay.`,
        next: "Take out the payload of a single one, if need be: bailiwick evidence redact <sequence> --reason <text>",
      });
