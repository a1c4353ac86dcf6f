import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { stable } from "../../kernel/stable.ts";
import { draft } from "../evidence-for-tests.ts";
import { contentHashOfLine } from "../event-line.ts";
import { leafHash } from "../tree/tree-hash.ts";
import { TreeReader } from "../tree/tree-reader.ts";
import { openTestArchive, reader, textOf, type TestArchive } from "./archive-for-tests.ts";
import type { Json } from "./archive-parts.ts";
import { checkLog } from "./check-log.ts";

const REFUSED = { kind: "evidence_unavailable", message: expect.stringContaining("was changed") as unknown };

const edit = ({ dir }: TestArchive, change: (db: DatabaseSync) => void): void => {
  const db = new DatabaseSync(join(dir, "evidence.db"));
  db.exec("DROP TRIGGER IF EXISTS batch_no_update; DROP TRIGGER IF EXISTS batch_no_delete");
  change(db);
  db.close();
};

const bundle = ({ archive }: TestArchive, correlation = "job"): Promise<string> =>
  textOf(archive.export(reader(), { format: "bundle", correlation, payloads: true }).parts);

/** As a forger would who knows how everything is hashed: another actor, and all hashes of the chain anew. */
const rewriteActor = (lines: readonly string[]): string[] => {
  let prev: unknown = null;
  return lines.map((line) => {
    const {
      event_id: _,
      content_hash: __,
      prev_hash: ___,
      payload,
      ...cover
    } = JSON.parse(line) as Record<string, Json>;
    const correlation = cover["correlation"]?.["correlation_id"];
    if (correlation !== "job") return line;
    cover["subject"] = { ...cover["subject"], id: "agent://forged" };
    const eventId = `evt_c1_${hash("sha256", stable(cover))}`;
    const bound = [
      "event_type",
      "invocation_id",
      "capability_id",
      "host_id",
      "timestamp",
      "outcome",
      "payload_commitment",
    ];
    const facts = Object.fromEntries(bound.map((name) => [name, cover[name]]));
    const contentHash = hash(
      "sha256",
      stable({ ...facts, event_id: eventId, correlation_id: correlation, prev_hash: prev }),
    );
    const event = { ...cover, payload, event_id: eventId, prev_hash: prev, content_hash: contentHash };
    prev = contentHash;
    return stable(event);
  });
};

const forge = (test: TestArchive): void =>
  edit(test, (db) => {
    const update = db.prepare("UPDATE batch SET events = ? WHERE first = ?");
    const rows = db.prepare("SELECT first, events FROM batch ORDER BY first").all();
    const lines = rewriteActor(rows.flatMap((row) => String(row["events"]).split("\n")));
    for (const row of rows) {
      const count = String(row["events"]).split("\n").length;
      update.run(lines.splice(0, count).join("\n"), Number(row["first"]));
    }
  });

const openWith = async (noise: number): Promise<TestArchive> => {
  const test = await openTestArchive();
  for (let i = 0; i < 3; i++) await test.log.append(draft({ correlationId: "job", type: "noted" }));
  await Promise.all(Array.from({ length: noise }, () => test.log.append(draft({ type: "noted" }))));
  return test;
};

const treeOf = (test: TestArchive): TreeReader => {
  const tree = new TreeReader(test.dir);
  onTestFinished(() => tree.close());
  return tree;
};

describe("a host that is asked to sign", () => {
  it.each([5, 600])("signs no correlation of which the actor was changed, %i events later", async (noise) => {
    const test = await openWith(noise);
    expect(await bundle(test)).toContain('"assurance": "signed"');
    forge(test);
    await expect(bundle(test)).rejects.toMatchObject(REFUSED);
  });

  it("signs no event whose hashes are left as they were, nor one that cannot be read", async () => {
    const test = await openWith(600);
    edit(test, (db) => db.exec("UPDATE batch SET events = replace(events, 'mcp-client', 'mallory') WHERE first = 2"));
    await expect(bundle(test)).rejects.toMatchObject(REFUSED);
    edit(test, (db) =>
      db.exec(`UPDATE batch SET events = replace(events, '"sequence": ', '"sequence" ') WHERE first = 2`),
    );
    await expect(bundle(test)).rejects.toMatchObject(REFUSED);
  });

  it("signs nothing of a tree whose leaves were changed along with the events", async () => {
    const test = await openWith(600);
    forge(test);
    edit(test, (db) => {
      db.exec("DROP TRIGGER tile_no_update");
      const hashes = Buffer.from(db.prepare("SELECT hashes FROM tile WHERE id = 0").get()?.["hashes"] as Uint8Array);
      const rows = db.prepare("SELECT events FROM batch ORDER BY first LIMIT 3").all();
      for (const [i, row] of rows.entries())
        leafHash("job", contentHashOfLine(String(row["events"]))).copy(hashes, 32 * i);
      db.prepare("UPDATE tile SET hashes = ? WHERE id = 0").run(hashes);
    });
    await expect(bundle(test)).rejects.toMatchObject(REFUSED);
  });

  it("goes on signing what was purged of others and what was withheld", async () => {
    const test = await openWith(600);
    await test.log.append(draft({ correlationId: "gone", type: "noted" }));
    await test.log.purge({ correlationIds: ["gone"], policy: "requested" });
    await test.log.redactPayload(2);
    expect(JSON.parse(await bundle(test))).toMatchObject({ assurance: "signed", events: { length: 3 } });
    expect(JSON.parse(await bundle(test, "gone"))).toMatchObject({ events: [] });
  });

  it("knows that events are missing at the end, or were never its own", async () => {
    const test = await openWith(5);
    await test.archive.checkpoint();
    const parts = { hostId: "test-host", tree: treeOf(test), key: test.key };
    expect(checkLog(parts).size).toBe(8);
    const other = { signer: () => null, identity: () => ({ public_key: "x" }) };
    expect(() => checkLog({ ...parts, key: other })).toThrow("not this host's");
    edit(test, (db) => db.exec("DELETE FROM batch WHERE first = (SELECT max(first) FROM batch)"));
    expect(() => checkLog(parts)).toThrow("but 8 events were signed");
  });

  it("believes its former keys", async () => {
    const test = await openWith(5);
    await test.archive.checkpoint();
    test.key.rotate();
    expect(checkLog({ hostId: "test-host", tree: treeOf(test), key: test.key }).size).toBe(8);
  });
});

it("a leaf is where the tree has it and nowhere else, in full tiles and in the last one", async () => {
  const test = await openWith(700);
  const tree = treeOf(test);
  const root = tree.root(703);
  const holds = tree.leafCheck(703, root);
  const db = new DatabaseSync(join(test.dir, "evidence.db"), { readOnly: true });
  onTestFinished(() => db.close());
  const tiles = db.prepare("SELECT hashes FROM tile WHERE id < 1000 ORDER BY id").all();
  const leaves = Buffer.concat(tiles.map((row) => row["hashes"] as Uint8Array));
  const leafOf = (sequence: number): Buffer => leaves.subarray((sequence - 1) * 32, sequence * 32);
  expect([1, 256, 257, 512].map((sequence) => holds(sequence, leafOf(sequence)))).toEqual([true, true, true, true]);
  expect([1, 703, 704, 0].map((sequence) => holds(sequence, leafOf(2)))).toEqual([false, false, false, false]);
  const elsewhere = tree.leafCheck(703, hash("sha256", "another root"));
  expect(elsewhere(1, leafOf(1))).toBe(false);
});
