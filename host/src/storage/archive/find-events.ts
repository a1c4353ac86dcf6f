/**
 * Events newest first, a page at a time. By correlation it seeks; anything else it looks for from the newest on. All of it in
 * turns and in bounded steps: a page may be short or empty, and then says where to go on.
 */
import type { EventQuery } from "../../kernel/archive.ts";
import { stableString } from "../../kernel/stable.ts";
import { correlationOfLine } from "../event-line.ts";
import type { EvidenceReader } from "../read-evidence.ts";
import type { Json } from "./archive-parts.ts";
import { findBack, MAX_LOOKED_AT } from "./find-back.ts";
import { eachInTurns } from "./in-turns.ts";

export interface FoundEvents {
  readonly events: readonly Json[];
  /** Null: there are no more. */
  readonly before: number | null;
}

const WINDOW = 500;
/** Of those that no index knows. */
const MAX_WALKED = 10_000;

const parse = (line: string): Json => JSON.parse(line) as Json;
const sequenceOf = (event: Json): number => Number(event["sequence"]);

const matcherOf = (query: EventQuery): ((event: Json) => boolean) => {
  const subject = query.subject?.replace(/^([a-z]+):(?!\/\/)/, "$1://");
  return (event) => {
    const { id, on_behalf_of: behalf } = (event["subject"] ?? {}) as Json;
    const payload = (event["payload"] ?? {}) as Json;
    const { correlation_id: correlation } = (event["correlation"] ?? {}) as Json;
    const is = (wanted: string | undefined, ...found: readonly unknown[]): boolean =>
      wanted === undefined || found.includes(wanted);
    return (
      is(query.correlation, correlation) &&
      is(query.invocation, event["invocation_id"]) &&
      is(query.capability, event["capability_id"], payload["tool"]) &&
      (is(query.subject, id, behalf) || is(subject, id, behalf)) &&
      is(query.type, event["event_type"]) &&
      is(query.outcome, event["outcome"])
    );
  };
};

function* walked(reader: EvidenceReader, from: number, down: number): Iterable<string> {
  for (let high = from; high >= down; high -= WINDOW) {
    yield* [...reader.range(Math.max(down, high - WINDOW + 1), high)].toReversed();
  }
}

/** The correlation to look in; null: there is no such call down to `from`. */
const correlationOf = async (
  reader: EvidenceReader,
  invocation: string,
  before: number,
): Promise<{ readonly correlation: string | null; readonly from: number }> => {
  const needle = `"invocation_id": ${stableString(invocation)}`;
  const isIt = (event: Json): boolean => event["invocation_id"] === invocation;
  const { line, from } = await findBack(reader, { needle, isIt, before });
  return { correlation: line === null ? null : correlationOfLine(line), from };
};

/** The next older sequence to go on from; null: there is none. */
const onward = (down: number): number | null => (down > 1 ? down : null);

export const findEvents = async (
  reader: EvidenceReader,
  query: EventQuery,
  visible: (event: Json) => boolean,
): Promise<FoundEvents> => {
  const top = Math.min(reader.last(), (query.before ?? Infinity) - 1);
  let { correlation } = query;
  if (correlation === undefined && query.invocation !== undefined) {
    const found = await correlationOf(reader, query.invocation, top + 1);
    if (found.correlation === null) return { events: [], before: onward(found.from) };
    correlation = found.correlation;
  }
  const down = Math.max(1, top - MAX_WALKED + 1);
  const lines = correlation === undefined ? walked(reader, top, down) : reader.byCorrelationBack(correlation, top + 1);
  const matches = matcherOf(query);
  const events: Json[] = [];
  let [looked, last, isFull] = [0, 0, false];
  const isWhole = await eachInTurns(lines, (line) => {
    if (looked++ === MAX_LOOKED_AT) return false;
    const event = parse(line);
    if (matches(event) && visible(event)) {
      isFull = events.length === query.limit;
      if (isFull) return false;
      events.push(event);
    }
    last = sequenceOf(event);
    return true;
  });
  if (isFull) return { events, before: sequenceOf(events.at(-1) ?? {}) };
  if (!isWhole) return { events, before: last };
  return { events, before: correlation === undefined ? onward(down) : null };
};
