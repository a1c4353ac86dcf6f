import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { EvidenceDraft } from "../kernel/evidence.ts";
import { HostError } from "../kernel/host-error.ts";
import { stable } from "../kernel/stable.ts";
import { draft, ended, openLog, temporaryDir, vector } from "./evidence-for-tests.ts";
import { openEvidenceReader } from "./read-evidence.ts";
import { verifyEvidence } from "./verify-evidence.ts";

interface Event {
  sequence: number;
  timestamp: string;
  event_id: string;
  prev_hash: string | null;
  content_hash: string;
  correlation: { correlation_id: string };
  [member: string]: unknown;
}

const readAll = (dir: string): Event[] => {
  const reader = openEvidenceReader(dir);
  const events = reader.tail(100_000).map((line) => JSON.parse(line) as Event);
  reader.close();
  return events;
};
const verifyAll = (dir: string) => {
  const reader = openEvidenceReader(dir);
  const verification = verifyEvidence(reader.range(1, reader.last()));
  reader.close();
  return verification;
};

describe("the evidence log", () => {
  it("gives each event an id and the next sequence, and can be read while it is open", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const started = draft();
    const first = await log.append(started);
    const second = await log.append(ended(started));
    expect([first.sequence, second.sequence]).toEqual([1, 2]);
    const events = readAll(dir);
    expect(events.map((event) => event.event_id)).toEqual([first.eventId, second.eventId]);
    expect(events[1]?.prev_hash).toBe(events[0]?.content_hash);
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 2 });
  });

  it("writes events that the protocol's schema accepts, with every member present", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const denial = stable({ code: "policy_blocked", message: "no", invariant_id: null, retryable: false, details: {} });
    await log.append(draft({ type: "execution_denied", outcome: "denied", denial }));
    await log.append(draft({ capabilityVersion: null, subject: "null" }));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(vector("../chp-schemas/correlation-context.schema.json") as object);
    const validate = ajv.compile(vector("../chp-schemas/evidence-event.schema.json") as object);
    const members =
      "assurance capability_id capability_version content_hash correlation denial error event_id event_type hash_scheme " +
      "host_id invocation_id outcome payload payload_commitment prev_hash redacted sequence subject timestamp";
    for (const event of readAll(dir)) {
      validate(event);
      expect(validate.errors).toBeNull();
      expect(Object.keys(event).join(" ")).toBe(members);
      expect(event["assurance"]).toEqual({
        evidence_policy: "before-execution",
        level: "S2",
        notes: ["bailiwick-cover-v1"],
      });
      expect(Object.keys(event.correlation)).toHaveLength(6);
    }
  });

  it("puts what arrives together into few commits and keeps the order of arrival", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const receipts = await Promise.all(Array.from({ length: 1500 }, () => log.append(draft())));
    expect(receipts.map((receipt) => receipt.sequence)).toEqual(receipts.map((_, i) => i + 1));
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 1500 });
    const times = readAll(dir).map((event) => event.timestamp);
    expect(times).toEqual(times.toSorted());
  });

  it("puts what belongs together into one commit or, when any of it cannot be written, into none", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const note = (): EvidenceDraft => draft({ type: "noted" });
    const idle = await log.appendAll([note(), note()]);
    const others = Array.from({ length: 511 }, () => log.append(draft()));
    const busy = await log.appendAll([note(), note(), draft()]);
    await Promise.all(others);
    for (const spoiled of [draft({ payload: "{\n}" }), draft({ subject: "x".repeat(2 << 20) })]) {
      await expect(log.appendAll([note(), spoiled])).rejects.toThrow("evidence draft");
      await expect(log.appendAll([spoiled, note()])).rejects.toThrow("evidence draft");
    }
    await log.close();
    const store = new DatabaseSync(join(dir, "evidence.db"), { readOnly: true });
    const begins = store
      .prepare("SELECT first FROM batch")
      .all()
      .map((row) => Number(row["first"]));
    store.close();
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 516 });
    for (const receipts of [idle, busy]) {
      const [first, ...rest] = receipts.map(({ sequence }) => sequence);
      expect(rest).toEqual(rest.map((_, i) => first! + 1 + i));
      for (const sequence of rest) expect(begins).not.toContain(sequence);
    }
  });

  it("chains each correlation by itself, across batches and across restarts", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await Promise.all(["a", "b", "a", "b"].map((correlationId) => log.append(draft({ correlationId, type: "noted" }))));
    await log.append(draft({ correlationId: "a", type: "noted" }));
    await log.close();
    const again = await openLog(dir);
    expect(again.openedAt).toBe(5);
    await again.append(draft({ correlationId: "b", type: "noted" }));
    const events = readAll(dir);
    const hashes = (id: string) => events.filter((event) => event.correlation.correlation_id === id);
    for (const id of ["a", "b"]) {
      const chain = hashes(id);
      expect(chain).toHaveLength(3);
      expect(chain.map((event) => event.prev_hash)).toEqual([null, chain[0]?.content_hash, chain[1]?.content_hash]);
    }
    expect(verifyAll(dir).valid).toBe(true);
  });

  it("finds the head of a correlation again after thousands of others", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const long = draft();
    const old = draft({ correlationId: "old" });
    await Promise.all([log.append(long), log.append(old)]);
    for (let i = 0; i < 20; i++)
      await Promise.all(Array.from({ length: 1000 }, () => log.append(draft({ type: "noted" }))));
    await log.append(ended(long));
    await log.append(ended(old));
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 20_004 });
  });

  it("keeps the files to their owner", async () => {
    const dir = temporaryDir();
    const log = await openLog(join(dir, "deep", "work"));
    await log.append(draft());
    expect(statSync(join(dir, "deep", "work", "evidence.db")).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "deep", "work", "evidence.db-wal")).mode & 0o777).toBe(0o600);
  });

  it("acknowledges before the disk under batched, says so in the event, and has it all after a clean end", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { durability: "batched" });
    const started = draft();
    expect((await log.append(started)).sequence).toBe(1);
    expect((await log.append(ended(started))).sequence).toBe(2);
    await log.close();
    const assurance = { evidence_policy: "batched", level: "S1", notes: ["bailiwick-cover-v1"] };
    expect(readAll(dir).map((event) => event["assurance"])).toEqual([assurance, assurance]);
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 2 });
  });

  it("leaves no file under memory", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { durability: "memory" });
    expect((await log.append(draft())).sequence).toBe(1);
    expect((await log.append(draft())).sequence).toBe(2);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("writes everything that waits before it closes, and refuses afterwards", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const waiting = Promise.all(Array.from({ length: 700 }, () => log.append(draft())));
    await log.close();
    expect(await waiting).toHaveLength(700);
    expect(readAll(dir)).toHaveLength(700);
    expect(log.writable()).toBe(false);
    await expect(log.append(draft())).rejects.toMatchObject({ kind: "evidence_unavailable" });
  });

  it("takes a draft it cannot hold for a mistake of the host and goes on", async () => {
    const log = await openLog(temporaryDir());
    await expect(log.append(draft({ payload: '{\n"a": 1}' }))).rejects.toBeInstanceOf(HostError);
    await expect(log.append(draft({ payload: `{"x": "${"x".repeat(2 << 20)}"}` }))).rejects.toBeInstanceOf(HostError);
    expect((await log.append(draft())).sequence).toBe(1);
  });
});
