import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SEGMENT_EVENTS } from "./correlation-index.ts";
import { draft, ended, openLog, temporaryDir } from "./evidence-for-tests.ts";
import { exportEvidence } from "./export-evidence.ts";
import type { OpenEvidenceLog } from "./open-evidence-log.ts";
import { openEvidenceReader, type EvidenceReader } from "./read-evidence.ts";
import { readLines } from "./read-lines.ts";
import { verifyEvidence } from "./verify-evidence.ts";

const openReader = (dir: string): EvidenceReader => {
  const reader = openEvidenceReader(dir);
  onTestFinished(() => reader.close());
  return reader;
};
const sequenceOf = (line: string): number => (JSON.parse(line) as { sequence: number }).sequence;
const sequences = (lines: Iterable<string>): number[] => [...lines].map(sequenceOf);
const noise = async (log: OpenEvidenceLog, events: number): Promise<void> => {
  for (let left = events; left > 0; left -= 1000) {
    await Promise.all(Array.from({ length: Math.min(left, 1000) }, () => log.append(draft({ type: "noted" }))));
  }
};

describe("reading the evidence log", () => {
  it("says where it looked when there is no log yet", () => {
    const dir = temporaryDir();
    expect(() => openEvidenceReader(dir)).toThrow(`There is no evidence log in ${dir} yet.`);
  });

  it("works while no host runs", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await log.append(draft());
    await log.close();
    expect(openReader(dir).last()).toBe(1);
  });

  it("finds events by sequence, id, correlation and invocation, in the newest part and in the indexed one", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const call = draft({ correlationId: 'corr \\ "quoted" é' });
    const old = await log.append(call);
    await noise(log, SEGMENT_EVENTS);
    for (let i = 0; i < 80; i++) await log.append(draft({ type: "noted" }));
    await noise(log, 100);
    const recent = await log.append(ended(call));
    const reader = openReader(dir);
    expect(recent.sequence).toBe(SEGMENT_EVENTS + 182);
    expect(sequences(reader.byCorrelation(call.correlation.id))).toEqual([1, recent.sequence]);
    expect(sequences(reader.byCorrelation(call.correlation.id, 1))).toEqual([recent.sequence]);
    expect(sequences(reader.byCorrelation(call.correlation.id, recent.sequence - 1))).toEqual([recent.sequence]);
    expect(sequences(reader.byCorrelation(call.correlation.id, recent.sequence))).toEqual([]);
    const back = (before: number) => sequences(reader.byCorrelationBack(call.correlation.id, before));
    expect(back(recent.sequence + 1)).toEqual([recent.sequence, 1]);
    expect(back(recent.sequence)).toEqual([1]);
    expect(back(1)).toEqual([]);
    expect(sequences(reader.byInvocation(call.invocationId))).toEqual([1, recent.sequence]);
    expect(sequenceOf(reader.byId(old.eventId) ?? "")).toBe(1);
    expect(sequenceOf(reader.byId(recent.eventId) ?? "")).toBe(recent.sequence);
    expect(sequenceOf(reader.byId(777) ?? "")).toBe(777);
    expect(reader.byId(0)).toBeNull();
    expect(reader.byId(recent.sequence + 1)).toBeNull();
    expect(reader.byId("evt_c1_nothing")).toBeNull();
    expect([...reader.byCorrelation("nothing")]).toEqual([]);
    expect([...reader.byInvocation("nothing")]).toEqual([]);
    await log.close();
    const after = await openLog(dir);
    await after.append(draft({ correlationId: call.correlation.id, type: "noted" }));
    expect(sequences(reader.byCorrelation(call.correlation.id))).toEqual([1, recent.sequence, recent.sequence + 1]);
    expect(verifyEvidence(reader.range(1, reader.last()))).toMatchObject({ valid: true });
  });

  it("finds an event and a call that later ones speak of", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const call = draft();
    const { eventId } = await log.append(call);
    for (let i = 0; i < 3; i++) {
      const payload = `{"event_id": "${eventId}", "invocation_id": "${call.invocationId}"}`;
      await log.append(draft({ type: "noted", payload }));
    }
    const reader = openReader(dir);
    expect(sequenceOf(reader.byId(eventId) ?? "")).toBe(1);
    expect(sequences(reader.byInvocation(call.invocationId))).toEqual([1]);
  });

  it("goes on in a correlation from any of its events", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const of = (correlationId: string) => draft({ correlationId, type: "noted" });
    for (let i = 0; i < 6; i++) await log.appendAll([of("a"), of("b"), of("a")]);
    const reader = openReader(dir);
    const all = sequences(reader.byCorrelation("a"));
    expect(all).toHaveLength(12);
    for (let since = 0; since <= 19; since++) {
      expect(sequences(reader.byCorrelation("a", since))).toEqual(all.filter((sequence) => sequence > since));
    }
  });

  it("gives the newest events in order and any range across batches", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    for (let i = 0; i < 5; i++) await noise(log, 7);
    const reader = openReader(dir);
    expect(sequences(reader.tail(3))).toEqual([33, 34, 35]);
    expect(sequences(reader.tail(1000))).toHaveLength(35);
    expect(sequences(reader.range(6, 16))).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    expect(sequences(reader.range(0, 2))).toEqual([1, 2]);
    expect(sequences(reader.range(36, 99))).toEqual([]);
  });

  it("exports the log, a range or a correlation, each of which verifies from its file", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const call = draft({ correlationId: "wanted" });
    await log.append(call);
    await noise(log, 20);
    await log.append(ended(call));
    const reader = openReader(dir);
    const cases = [
      [{}, 22, "log"],
      [{ from: 5, to: 9 }, 5, "range"],
      [{ correlation: "wanted" }, 2, "correlation"],
      [{ correlation: "nothing" }, 0, "correlation"],
    ] as const;
    for (const [options, count, scope] of cases) {
      const file = join(dir, "export.jsonl");
      const lines = [...exportEvidence(reader, { hostId: "test-host", ...options })];
      writeFileSync(file, `${lines.join("\n")}\n`);
      expect(verifyEvidence(readLines(file))).toMatchObject({ valid: true, count, scope });
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ kind: "evidence-export", host_id: "test-host", scope });
      expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ count });
    }
  });

  it("reads the lines of a file across its chunks", () => {
    const file = join(temporaryDir(), "lines");
    const lines = Array.from({ length: 50 }, (_, i) => "é🔒".repeat(i * 700));
    writeFileSync(file, lines.join("\n"));
    expect([...readLines(file)]).toEqual(lines);
  });
});
