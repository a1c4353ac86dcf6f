/**
 * One correlation as a reader may have it. A chain is whole or it proves nothing, and its ids are the callers' to choose, so
 * others' events may stand in it: whoever has an event there hears whether the whole holds; whoever began it is given all of
 * it, the payloads of others withheld; and to everybody else there is no such correlation.
 */
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Json } from "./archive-parts.ts";
import { eachInTurns } from "./in-turns.ts";
import { seesAll } from "./may-see.ts";
import { ownEvents } from "./own-events.ts";
import { withholdPayload } from "./withhold-payload.ts";

type Lines = () => Iterable<string>;

export interface CorrelationView {
  /** As they are stored, to be checked and not given out; none, when none is the reader's. */
  readonly lines: Lines;
  /** To be given out. Throws the Refusal when others stand in a correlation that the reader did not begin. */
  readonly given: () => Lines;
}

const parse = (line: string): Json => JSON.parse(line) as Json;
const NONE: Lines = () => [];

export const viewCorrelation = async (reader: Principal, lines: Lines): Promise<CorrelationView> => {
  if (seesAll(reader)) return { lines, given: () => lines };
  const sees = ownEvents(reader);
  let count = 0;
  let own = 0;
  let begins = false;
  await eachInTurns(lines(), (line) => {
    const isSeen = sees(parse(line));
    if (isSeen) own++;
    if (count === 0) begins = isSeen;
    count++;
    return true;
  });
  if (own === 0) return { lines: NONE, given: () => NONE };
  const given = (): Lines => {
    if (!begins) throw notBegun();
    return () => withoutOthers(reader, lines());
  };
  return { lines, given };
};

function* withoutOthers(reader: Principal, lines: Iterable<string>): Iterable<string> {
  const sees = ownEvents(reader);
  for (const line of lines) yield sees(parse(line)) ? line : withholdPayload(line);
}

const notBegun = (): Refusal =>
  new Refusal("permission_missing", {
    message: "Another caller began this correlation, and its chain cannot be given out without that caller's events.",
    next: "Replay shows your own events of it; for the whole of it ask the operator for the permission evidence:read.",
    details: { required_permission: "evidence:read", missing: ["evidence:read"] },
  });
