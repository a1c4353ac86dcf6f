/** What the evidence of a host tells about its calls, each as one line: what it was, and its events in order. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Served } from "./serve-for-tests.ts";

interface Event {
  readonly event_type: string;
  readonly invocation_id?: string | null;
  readonly capability_id: string;
}

const readCalls = async (host: Served): Promise<Event[][]> => {
  const { code, stdout, stderr } = await host.run("evidence", "export");
  if (code !== 0) throw new Error(`The evidence could not be exported: ${stderr}`);
  const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Event]));
  const calls = Map.groupBy(events, ({ invocation_id: id }) => (id?.startsWith("inv_") ? id : ""));
  calls.delete("");
  return [...calls.values()];
};

const ENDED = /^execution_(completed|failed|denied|indeterminate)$/;
const isOver = (events: readonly Event[]): boolean => events.some(({ event_type: type }) => ENDED.test(type));

const shorten = (type: string): string => type.replace(/^(execution_|dev\.bailiwick\.)/, "");

const PATIENCE_MS = 20_000;

/**
 * Waits until no call is open, which may take as long as a cancelled one waits for its server. An answer that came later
 * belongs to no order of events and is left out.
 */
export const tellCalls = async (host: Served): Promise<string[]> => {
  let calls = await readCalls(host);
  const end = Date.now() + PATIENCE_MS;
  for (; !calls.every(isOver) && Date.now() < end; calls = await readCalls(host)) await sleep(500);
  return calls.map((events) => {
    const types = events.map(({ event_type: type }) => shorten(type)).filter((type) => type !== "late_answer");
    return `${events[0]?.capability_id}: ${types.join(", ")}`;
  });
};

/** One intent and one outcome, and between them a round for every time the caller was asked. */
export const WHOLE = /: (started(, round)*, (completed|failed|indeterminate)|denied)$/;
