/** The calls that had not ended when the log was closed: reads from the lowest open one on, not the whole log. */
import type { DatabaseSync } from "node:sqlite";
import { stable } from "../kernel/stable.ts";
import { callerOf, callKey, endsInvocation, type OpenCalls } from "./open-calls.ts";
import type { StoredBatches } from "./stored-batches.ts";

interface StoredEvent {
  readonly event_type: string;
  readonly invocation_id: string;
  readonly correlation: { readonly correlation_id: string };
  readonly subject: unknown;
  readonly payload: unknown;
}

const keyOf = ({ invocation_id: invocation, correlation, subject }: StoredEvent): string =>
  callKey(invocation, correlation.correlation_id, callerOf(subject));

export interface CallSource {
  readonly db: DatabaseSync;
  readonly batches: StoredBatches;
}

export const readOpenCalls = ({ db, batches }: CallSource, calls: OpenCalls, from: number | null): void => {
  if (from !== null) replayFrom(db, calls, from);
  for (const { sequence } of db.prepare("SELECT sequence FROM carried ORDER BY sequence DESC").all()) {
    const line = batches.lineOf(Number(sequence));
    if (line !== "") calls.restoreCarried(keyOf(JSON.parse(line) as StoredEvent), Number(sequence));
  }
};

const replayFrom = (db: DatabaseSync, calls: OpenCalls, from: number): void => {
  const start = db.prepare("SELECT first FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1").get(from);
  const rows = db.prepare("SELECT first, events FROM batch WHERE first >= ? ORDER BY first");
  for (const row of rows.iterate(Number(start?.["first"]))) {
    let sequence = Number(row["first"]);
    for (const line of String(row["events"]).split("\n")) {
      if (sequence >= from) replay(calls, line, sequence);
      sequence++;
    }
  }
};

const replay = (calls: OpenCalls, line: string, sequence: number): void => {
  if (!line.includes('"event_type": "execution_')) return;
  const event = JSON.parse(line) as StoredEvent;
  const key = keyOf(event);
  if (event.event_type === "execution_started") calls.start(key, sequence);
  else if (endsInvocation(event.event_type, stable(event.payload))) calls.end(key);
};
