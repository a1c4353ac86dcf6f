/**
 * Ends what a crash left open: every `execution_started` without an end gets an `execution_indeterminate`, because nobody
 * can know whether its effect happened, and that is what a repeat of it hears. Those that somebody still follows stay open.
 */
import { readOnce, unknownReply } from "../kernel/once-text.ts";
import { stable } from "../kernel/stable.ts";
import { packDraft, unpackDrafts, type BesideDraft } from "./draft-fields.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { correlationOf, type StoredCorrelation } from "./stored-correlation.ts";

interface StartedEvent {
  readonly invocation_id: string;
  readonly capability_id: string;
  readonly capability_version: string | null;
  readonly correlation: StoredCorrelation;
  readonly payload: { readonly capability_uri?: unknown; readonly once?: unknown; readonly tool?: unknown };
  readonly subject: unknown;
  readonly event_id: string;
  readonly sequence: number;
}

const BATCH = 256;

const packEnding = (started: StartedEvent): string => {
  const uri = started.payload.capability_uri ?? `${started.capability_id}:${started.capability_version ?? "0.0.0"}`;
  return packDraft(
    {
      type: "execution_indeterminate",
      invocationId: started.invocation_id,
      capabilityId: started.capability_id,
      capabilityVersion: started.capability_version,
      correlation: correlationOf(started.correlation),
      outcome: "indeterminate",
      payload: stable({ capability_uri: uri, reason: "host_restarted" }),
      subject: stable(started.subject),
      error: "null",
      denial: "null",
    },
    replyOf(started),
  );
};

const replyOf = ({ event_id, sequence, capability_id, payload }: StartedEvent): BesideDraft | undefined => {
  const once = readOnce(payload.once);
  if (once === null) return undefined;
  const tool = typeof payload.tool === "string" ? payload.tool : capability_id;
  const begun = { sequence, count: 1, eventIds: [event_id] };
  return { reply: { key: once.key, text: unknownReply(once.hash, tool, capability_id), begun } };
};

export interface Recovered {
  /** How many calls it ended. */
  readonly ended: number;
  /** Of the invocations to keep, those that are open. */
  readonly kept: readonly string[];
}

export const recoverOpenCalls = (store: EvidenceStore, keep: ReadonlySet<string>): Recovered => {
  const open = store.openCalls.sequences();
  const kept: string[] = [];
  let ended = 0;
  for (let i = 0; i < open.length; i += BATCH) {
    const started = open.slice(i, i + BATCH).map((each) => JSON.parse(store.batches.lineOf(each)) as StartedEvent);
    const lost = started.filter(({ invocation_id: id }) => !keep.has(id));
    for (const { invocation_id: id } of started) if (keep.has(id)) kept.push(id);
    if (lost.length === 0) continue;
    ended += lost.length;
    store.write(unpackDrafts(lost.map(packEnding).join("")));
    store.commit();
  }
  return { ended, kept };
};
