import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { draft } from "../evidence-for-tests.ts";
import { openEvidenceReader } from "../read-evidence.ts";
import { openTestArchive, reader } from "./archive-for-tests.ts";
import { findBack, MAX_LOOKED_AT } from "./find-back.ts";

const LINES = 4000;

const openLong = async () => {
  const test = await openTestArchive();
  const of = (i: number) => draft({ correlationId: i % 2 === 0 ? "job" : `other ${i}`, type: "noted" });
  for (let i = 0; i < LINES; i += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, k) => test.log.append(of(i + k))));
  }
  return test;
};

/** How often others had a turn while something was done. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  const state = { isDone: false };
  const done = work().finally(() => (state.isDone = true));
  while (!state.isDone) {
    await nextTurn();
    turns++;
  }
  await done;
  return turns;
};

it("whoever looks for what is not there keeps nobody waiting for all of the log", async () => {
  const { archive } = await openLong();
  const stranger = reader({ id: "person:eve", permissions: [] });
  const order = { correlationId: "job", limit: 10, sinceSequence: 0, includePayloads: true };
  expect(await turnsDuring(() => archive.event(stranger, `evt_c1_${"0".repeat(64)}`))).toBeGreaterThan(3);
  expect(await turnsDuring(() => archive.events(stranger, { invocation: "nope", limit: 10 }))).toBeGreaterThan(3);
  expect(await archive.events(stranger, { invocation: "nope", limit: 10 })).toEqual({ events: [], before: null });
  expect(await archive.events(stranger, { correlation: "job", limit: 10 })).toEqual({ events: [], before: null });
  expect(await archive.replay(stranger, order)).toMatchObject({ event_count: 0 });
});

it("a long correlation is listed from its newest event on, page by page", async () => {
  const { archive } = await openLong();
  const seen: number[] = [];
  let before: number | null = LINES + 1;
  while (before !== null) {
    const page: Awaited<ReturnType<typeof archive.events>> = await archive.events(reader(), {
      correlation: "job",
      limit: 900,
      before,
    });
    seen.push(...page.events.map((event) => Number(event["sequence"])));
    before = page.before;
  }
  expect(seen).toEqual(Array.from({ length: LINES / 2 }, (_, i) => LINES - 1 - 2 * i));
});

it("an event and a call are found by their ids, whatever others say of them", async () => {
  const { dir, log, archive } = await openTestArchive();
  const call = draft({ correlationId: "job" });
  const { eventId } = await log.append(call);
  const said = `{"event_id": "${eventId}", "invocation_id": "${call.invocationId}"}`;
  await log.append(draft({ type: "noted", payload: said }));
  expect(await archive.event(reader(), eventId)).toMatchObject({ sequence: 1 });
  expect(await archive.event(reader({ id: "person:eve", permissions: [] }), eventId)).toBeNull();
  const { events } = await archive.events(reader(), { invocation: call.invocationId, limit: 9 });
  expect(events.map((event) => event["sequence"])).toEqual([1]);
  const stored = openEvidenceReader(dir);
  onTestFinished(() => stored.close());
  const wanted = { needle: eventId, isIt: () => true };
  expect((await findBack(stored, { ...wanted, before: 2 })).line).toContain('"sequence": 1');
  expect(await findBack(stored, { ...wanted, before: 1 })).toEqual({ line: null, from: 1 });
});

it("a request looks at so many events and says how far it came", async () => {
  let read = 0;
  function* batchesBack() {
    for (let first = 10 * MAX_LOOKED_AT; first > 0; first -= 1000) {
      read += 1000;
      yield { first, count: 1000, text: "" };
    }
  }
  const found = await findBack({ batchesBack }, { needle: "x", isIt: () => true, before: Infinity });
  expect([read, found]).toEqual([MAX_LOOKED_AT, { line: null, from: 9 * MAX_LOOKED_AT + 1000 }]);
});
