import { join } from "node:path";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { stable } from "../kernel/stable.ts";
import { draft, ended, openLog, replyKey, temporaryDir } from "./evidence-for-tests.ts";
import type { OpenEvidenceLog } from "./open-evidence-log.ts";
import { readPayload } from "./read-payload.ts";
import { openEvidenceReader } from "./read-evidence.ts";
import { TreeReader } from "./tree/tree-reader.ts";

interface Event {
  readonly sequence: number;
  readonly event_type: string;
  readonly event_id: string;
  readonly prev_hash: string | null;
  readonly payload: unknown;
  readonly payload_commitment: string;
  readonly correlation: { readonly correlation_id: string };
}
const SEED = Buffer.alloc(32, 5);
const DAY = 24 * 60 * 60 * 1000;
const events = (dir: string): Event[] => {
  const reader = openEvidenceReader(dir);
  const all = [...reader.range(1, reader.last())].map((line) => JSON.parse(line) as Event);
  reader.close();
  return all;
};
const note = (log: OpenEvidenceLog, correlationId: string, payload = "{}") =>
  log.append(draft({ correlationId, type: "noted", payload }));
const rootAt = (dir: string, size: number): string => {
  const tree = new TreeReader(dir);
  const root = tree.root(size);
  tree.close();
  return root;
};

describe("purging", () => {
  it("takes out whole correlations with their answers, says so, and leaves all proofs as they were", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const [mine, yours] = [replyKey("a"), replyKey("b")];
    await Promise.all([
      log.append(draft({ correlationId: "a", type: "noted", payload: '{"x": "personal"}' }), {
        reply: { key: mine, text: "personal" },
      }),
      log.append(draft({ correlationId: "b", type: "noted" }), { reply: { key: yours, text: "other" } }),
      note(log, "a", '{"x": "personal"}'),
    ]);
    for (let i = 0; i < 20; i++) await note(log, `noise ${i}`);
    const before = rootAt(dir, 23);
    const outcome = await log.purge({ correlationIds: ["a", "unknown"], policy: "requested" });
    expect(outcome).toEqual({ events: 2, kept: [] });
    const left = events(dir);
    expect(left.filter((event) => event.correlation.correlation_id === "a")).toEqual([]);
    expect(left.at(-1)).toMatchObject({
      sequence: 24,
      event_type: "evidence_purged",
      payload: { first_sequence: 1, last_sequence: 3, count: 2, policy: "requested" },
      correlation: { correlation_id: "host-retention-test-host" },
    });
    expect(rootAt(dir, 23)).toBe(before);
    expect(log.state.reply(mine)).toBeNull();
    expect(log.state.reply(yours)?.text).toBe("other");
    await log.close();
    const again = await openLog(dir);
    expect(rootAt(dir, 23)).toBe(before);
    const reader = openEvidenceReader(dir);
    expect(reader.byId(1)).toBeNull();
    expect([...reader.byCorrelation("a")]).toEqual([]);
    reader.close();
    await note(again, "a");
    expect(events(dir).at(-1)?.prev_hash).toBeNull();
  });

  it("keeps the host's own records and calls that have not ended", async () => {
    const log = await openLog(temporaryDir());
    const open = draft({ correlationId: "open" });
    await log.append(open);
    await note(log, "host-identity-test-host");
    const order = { correlationIds: ["open", "host-identity-test-host"], policy: "requested" };
    expect(await log.purge(order)).toEqual({
      events: 0,
      kept: [
        { correlationId: "open", reason: "open" },
        { correlationId: "host-identity-test-host", reason: "host" },
      ],
    });
    await log.append(ended(open));
    expect((await log.purge(order)).events).toBe(2);
  });

  it("leaves nothing of the text in the files once the host has stopped", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    for (let i = 0; i < 5; i++) await note(log, "a", '{"x": "very-personal-text"}');
    await log.purge({ correlationIds: ["a"], policy: "requested" });
    await log.close();
    expect(readFileSync(join(dir, "evidence.db")).includes("very-personal-text")).toBe(false);
  });

  it("is refused to everybody else", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { signing: { seed: SEED, publicKeys: [] } });
    await note(log, "a");
    for (let i = 0; i < 3; i++) await Promise.all(Array.from({ length: 100 }, () => note(log, "b")));
    await log.checkpoint();
    const other = new DatabaseSync(join(dir, "evidence.db"));
    expect(() => other.exec("UPDATE batch SET events = ''")).toThrow("append-only");
    expect(() => other.exec("DELETE FROM batch")).toThrow("append-only");
    expect(() => other.exec("UPDATE tile SET root = zeroblob(32)")).toThrow("append-only");
    expect(() => other.exec("DELETE FROM tile")).toThrow("append-only");
    expect(() => other.exec("UPDATE checkpoint SET text = ''")).toThrow("append-only");
    expect(() => other.exec("DELETE FROM checkpoint")).toThrow("append-only");
    other.close();
  });
});

describe("retention by age", () => {
  it("purges what is old as a whole, in slices, and nothing that is held, open, young or the host's", async () => {
    const dir = temporaryDir();
    const signing = { seed: SEED, publicKeys: [] };
    const log = await openLog(dir, { signing });
    for (let i = 0; i < 150; i++) await note(log, `old ${i}`);
    await note(log, "held");
    await note(log, "case-7-a");
    await note(log, "host-policy-test-host");
    const open = draft({ correlationId: "open" });
    await log.append(open);
    const holds = ["held", "case-7-*"];
    expect(await log.applyRetention({ days: 1, holds, now: Date.now() })).toBe(0);
    expect(await log.applyRetention({ days: 1, holds, now: Date.now() + 2 * DAY })).toBe(150);
    const left = events(dir);
    const kinds = left.map((event) => event.correlation.correlation_id);
    expect(new Set(kinds)).toEqual(
      new Set(["held", "case-7-a", "host-policy-test-host", "open", "host-retention-test-host"]),
    );
    const counts = left
      .filter((event) => event.event_type === "evidence_purged")
      .map((event) => event.payload as { count: number; policy: string });
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(150);
    expect(counts.every(({ policy }) => policy === "days:1")).toBe(true);
    expect(await log.applyRetention({ days: 1, holds, now: Date.now() + 2 * DAY })).toBe(0);
  });
});

describe("retention in the course of time", () => {
  const purgedBy = (dir: string): Event[] => events(dir).filter((event) => event.event_type === "evidence_purged");

  it("lets others write between its slices", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 64 }, (_, k) => note(log, `old ${i} ${k}`)));
    const now = Date.now() + 2 * DAY;
    const state = { isDone: false };
    const retention = log.applyRetention({ days: 1, holds: ["young*"], now }).finally(() => (state.isDone = true));
    const written: number[] = [];
    while (!state.isDone) written.push((await note(log, `young ${written.length}`)).sequence);
    expect(await retention).toBe(1280);
    const [first = 0, last = 0] = [purgedBy(dir)[0]?.sequence, purgedBy(dir).at(-1)?.sequence];
    expect(purgedBy(dir).length).toBeGreaterThan(8);
    expect(written.some((sequence) => sequence > first && sequence < last)).toBe(true);
  });

  it("goes on where it was, over a restart, and begins anew when something else is to be held", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    for (let i = 0; i < 10; i++) await note(log, `old ${i}`);
    await note(log, "held");
    const order = { days: 1, holds: ["held"], now: Date.now() + 2 * DAY };
    expect(await log.applyRetention(order)).toBe(10);
    const place = (): unknown => {
      const db = new DatabaseSync(join(dir, "evidence.db"), { readOnly: true });
      const row = db.prepare("SELECT next FROM retention").get();
      db.close();
      return row?.["next"];
    };
    // A slow machine purges in more than one step, each with its event.
    expect(place()).toBe(11 + purgedBy(dir).length);
    await log.close();
    const again = await openLog(dir);
    for (let i = 0; i < 3; i++) await note(again, `later ${i}`);
    expect(await again.applyRetention({ ...order, now: order.now + 1000 })).toBe(3);
    expect(place()).toBe(14 + purgedBy(dir).length);
    expect(await again.applyRetention({ ...order, holds: [] })).toBe(1);
  });

  it("meets again what was too young, and takes all of it", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await note(log, "long");
    const cut = Date.now() + 1;
    while (Date.now() <= cut) await note(log, "held");
    await note(log, "long");
    const order = { days: 0, holds: ["held"] };
    expect(await log.applyRetention({ ...order, now: cut })).toBe(0);
    expect(await log.applyRetention({ ...order, now: Date.now() + 1000 })).toBe(2);
    expect(events(dir).filter((event) => event.correlation.correlation_id === "long")).toEqual([]);
  });

  it("says nothing when the log is closed in the middle of it", async () => {
    const log = await openLog(temporaryDir());
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 64 }, (_, k) => note(log, `old ${i} ${k}`)));
    const retention = log.applyRetention({ days: 1, holds: [], now: Date.now() + 2 * DAY });
    await log.close();
    expect(await retention).toBeLessThan(1280);
    await expect(log.checkpoint()).rejects.toThrow("No checkpoint was made.");
    await expect(log.redactPayload(1)).rejects.toThrow("The payload is still there.");
    await expect(note(log, "x")).rejects.toThrow("the call was not made");
  });

  it("takes along the records that go with a correlation, and no others", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const state = [
      { space: "approval", key: "apr_1", value: "very-personal", goesWith: "a" },
      { space: "approval", key: "apr_2", value: "kept", goesWith: "b" },
      { space: "approval", key: "apr_3", value: "kept" },
    ] as const;
    await log.append(draft({ correlationId: "a", type: "noted" }), { state });
    await note(log, "b");
    await log.purge({ correlationIds: ["a"], policy: "requested" });
    await log.close();
    expect([...(await openLog(dir)).state.entries("approval")].map(([key]) => key)).toEqual(["apr_2", "apr_3"]);
    expect(readFileSync(join(dir, "evidence.db")).includes("very-personal")).toBe(false);
  });
});

describe("retained arguments and results", () => {
  it("are kept encrypted, can be read, and go with their correlation or their payload", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const payload = '{"arguments":{"name":"very-personal-name"},"salt":"00"}';
    await Promise.all(
      ["a", "a", "b"].map((correlationId) => log.append(draft({ correlationId, type: "noted" }), { payload })),
    );
    const reply = { key: replyKey("r"), text: "answer" };
    await log.append(draft({ correlationId: "c", type: "noted" }), { payload, reply });
    expect([1, 2, 3, 4].map((sequence) => readPayload(dir, sequence))).toEqual([payload, payload, payload, payload]);
    expect(log.state.reply(reply.key)?.text).toBe("answer");
    expect(readPayload(dir, 5)).toBeNull();
    await log.purge({ correlationIds: ["a"], policy: "requested" });
    await log.redactPayload(3);
    await log.close();
    expect([1, 2, 3, 4].map((sequence) => readPayload(dir, sequence))).toEqual([null, null, null, payload]);
    expect(readFileSync(join(dir, "evidence.db")).includes("very-personal-name")).toBe(false);
  });
});

describe("withholding a stored payload", () => {
  it("leaves the event with its hashes, and records it", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const denial = stable({ details: { payload: { inner: "x" } } });
    await log.append(draft({ type: "noted", payload: '{"x": "personal"}', denial }));
    await log.append(draft({ type: "noted" }));
    const [was] = events(dir);
    const root = rootAt(dir, 2);
    expect(await log.redactPayload(1)).toBe(true);
    expect(await log.redactPayload(1)).toBe(false);
    expect(await log.redactPayload(99)).toBe(false);
    const [now, , said] = events(dir);
    expect(now).toEqual({ ...was, payload: { chp_withheld: true } });
    expect(said).toMatchObject({ event_type: "evidence_redacted", payload: { sequence: 1, event_id: was?.event_id } });
    expect(rootAt(dir, 2)).toBe(root);
    expect(events(dir)).toHaveLength(3);
  });
});
