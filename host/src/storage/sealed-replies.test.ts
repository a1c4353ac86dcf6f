import { hash, randomBytes, type KeyObject } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { draft, openLog, replyKey, rowSeal, temporaryDir } from "./evidence-for-tests.ts";
import { viewOf } from "./key-words.ts";
import { ENTRY_BYTES, REPLIES_PURPOSE, writeEntry } from "./replies-format.ts";
import { RowSeal } from "./row-seal.ts";
import { readSealSecret, sealKey } from "./seal-secret.ts";

const [MINE, YOURS] = [replyKey("mine"), replyKey("yours")];
/** As an earlier version has them. */
const WHOLE_KEYS = `${hash("sha256", "mine")}${hash("sha256", "yours")}`;
const SECRET = "s3cret-of-the-tool";
const UNREADABLE = { text: "", eventIds: [], call: null };
const eventId = (name: string): string => `evt_c1_${hash("sha256", name)}`;

const bytesOf = (dir: string): string =>
  ["evidence.db", "evidence.db-wal"]
    .map((name) => {
      try {
        return readFileSync(join(dir, name), "latin1");
      } catch {
        return "";
      }
    })
    .join("");

const rawKey = (key: string): string => Buffer.from(key, "hex").toString("latin1");

const change = (dir: string, run: (db: DatabaseSync) => void): void => {
  const db = new DatabaseSync(join(dir, "evidence.db"));
  run(db);
  db.close();
};

/** Two answers in one commit, of which each has a correlation of its own; the log is closed. */
const writeTwo = async (dir: string, large = ""): Promise<void> => {
  const log = await openLog(dir);
  await Promise.all([
    log.append(draft({ correlationId: "mine", type: "noted" }), { reply: { key: MINE, text: `${SECRET}${large}` } }),
    log.append(draft({ correlationId: "yours", type: "noted" }), { reply: { key: YOURS, text: "yours" } }),
  ]);
  expect(bytesOf(dir).includes(rawKey(MINE))).toBe(true);
  expect(bytesOf(dir).includes(SECRET)).toBe(false);
  await log.close();
};

it.each([
  ["small", ""],
  ["large", "x".repeat(100_000)],
])("of a %s answer nothing stands in the open on the disk, and it is given again", async (_, large) => {
  const dir = temporaryDir();
  await writeTwo(dir, large);
  expect(bytesOf(dir).includes(SECRET)).toBe(false);
  expect((await openLog(dir)).state.reply(MINE)?.text).toBe(`${SECRET}${large}`);
});

const EARLIER = `ALTER TABLE batch DROP COLUMN answers; DROP TABLE answer_key; PRAGMA user_version = 4;
  CREATE TABLE reply (first INTEGER PRIMARY KEY, at INTEGER NOT NULL, keys TEXT NOT NULL, sequences TEXT NOT NULL,
    texts TEXT NOT NULL, sealed BLOB) STRICT;
  CREATE TABLE reply_segment (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL, sieve BLOB NOT NULL) STRICT;
  CREATE TABLE reply_key (segment INTEGER, key TEXT, reply INTEGER, PRIMARY KEY (segment, key, reply)) WITHOUT ROWID`;
const LINES = `${eventId("any")} bw1.mine\n${eventId("any")}${eventId("other")} bw1.yours`;

it.each([
  ["each sealed by who wrote it", (): [string, null] => [LINES, null]],
  ["sealed together", (key: KeyObject): [string, Uint8Array] => ["", new RowSeal(key).seal(LINES)]],
])("answers that an earlier version kept are given again, and can be purged: %s", async (_, columns) => {
  const dir = temporaryDir();
  await writeTwo(dir);
  const stored = columns(sealKey(readSealSecret(dir), REPLIES_PURPOSE));
  change(dir, (db) => {
    db.exec(EARLIER);
    const insert = db.prepare("INSERT INTO reply VALUES (1, ?, ?, '1,2', ?, ?)");
    insert.run(Date.now(), WHOLE_KEYS, ...stored);
    const more = db.prepare("INSERT INTO reply VALUES (?, ?, ?, ?, ?, NULL)");
    for (let i = 10; i < 60; i++)
      more.run(i, Date.now(), hash("sha256", String(i)), String(i), `${eventId("any")} bw1.more ${"x".repeat(600)}`);
  });
  const log = await openLog(dir);
  const [mine, yours] = [log.state.reply(MINE), log.state.reply(YOURS)];
  expect([mine?.text, mine?.call?.correlation.id]).toEqual(["bw1.mine", "mine"]);
  expect([yours?.text, yours?.call?.correlation.id, yours?.eventIds.length]).toEqual(["bw1.yours", "yours", 2]);
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  expect(log.state.reply(MINE)).toBeNull();
  await log.close();
  change(dir, (db) => expect(() => db.prepare("SELECT 1 FROM reply")).toThrow("no such table"));
  for (const left of ["bw1.mine", "bw1.yours", "bw1.more", Buffer.from(stored[1] ?? "none").toString("latin1")])
    expect(bytesOf(dir).includes(left)).toBe(false);
  expect((await openLog(dir)).state.reply(MINE)).toBeNull();
});

it("answers that format 5 kept in rows of their own are given again beside new ones", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  const seal = new RowSeal(sealKey(readSealSecret(dir), REPLIES_PURPOSE));
  const keys = Buffer.alloc(2 * ENTRY_BYTES);
  [MINE, YOURS].forEach((key, i) => {
    const ended = { sequence: i + 1, count: 1 };
    writeEntry(viewOf(keys), i * ENTRY_BYTES, key, { ended, begun: null }, 1);
  });
  change(dir, (db) => {
    db.exec("ALTER TABLE batch DROP COLUMN answers; DROP TABLE answer_key; PRAGMA user_version = 5");
    db.prepare("INSERT INTO answer VALUES (1, ?, ?, ?)").run(Date.now(), keys, seal.seal("mine\nyours"));
  });
  const log = await openLog(dir);
  const later = replyKey("later");
  const texts = (): (string | undefined)[] => [MINE, YOURS, later].map((key) => log.state.reply(key)?.text);
  expect(texts()).toEqual(["mine", "yours", undefined]);
  await log.append(draft({ type: "noted" }), { reply: { key: later, text: "later" } });
  expect(texts()).toEqual(["mine", "yours", "later"]);
});

it.each([
  ["", "", ""],
  [" when it could not be read any more", "", "DELETE FROM answer_key"],
  [", in a row of its own", "x".repeat(2000), ""],
  [", a large one", "x".repeat(100_000), ""],
])("of a purged answer not even the key is left%s", async (_, more, before) => {
  const dir = temporaryDir();
  await writeTwo(dir, more);
  change(dir, (db) => db.exec(before));
  const log = await openLog(dir);
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  await log.close();
  expect([MINE, YOURS].map((key) => bytesOf(dir).includes(rawKey(key)))).toEqual([false, true]);
});

it("of a purged answer that stood in the row of its event nothing is left, sealed or not", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  const sealed = new Set<string>();
  const read = (db: DatabaseSync): void => {
    const { answers } = db.prepare("SELECT answers FROM batch WHERE first = 1").get() ?? {};
    sealed.add(
      Buffer.from(answers as Uint8Array)
        .subarray(16 + 2 * ENTRY_BYTES)
        .toString("latin1"),
    );
  };
  change(dir, read);
  const log = await openLog(dir);
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  expect([MINE, YOURS].map((key) => log.state.reply(key)?.text)).toEqual([undefined, "yours"]);
  await log.close();
  const [before = ""] = sealed;
  change(dir, read);
  expect(sealed.size).toBe(2);
  expect(before.length).toBeGreaterThan(SECRET.length);
  expect(bytesOf(dir).includes(before)).toBe(false);
});

it("answers of an earlier version that cannot be read stay what was there", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  change(dir, (db) => {
    db.exec(EARLIER);
    const insert = db.prepare("INSERT INTO reply VALUES (1, ?, ?, '1,2', '', ?)");
    insert.run(Date.now(), WHOLE_KEYS, rowSeal().seal(LINES));
  });
  const log = await openLog(dir);
  expect([log.state.reply(MINE), log.state.reply(YOURS)]).toEqual([UNREADABLE, UNREADABLE]);
});

it("an answer whose seal does not open is not taken for one that never was, nor after a purge of another of its row", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  writeFileSync(join(dir, "seal.key"), `${randomBytes(32).toString("base64url")}\n`);
  const log = await openLog(dir);
  expect([log.state.reply(MINE), log.state.reply(YOURS)]).toEqual([UNREADABLE, UNREADABLE]);
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  expect([log.state.reply(MINE), log.state.reply(YOURS)]).toEqual([null, UNREADABLE]);
  // Of its texts nothing is left, though that of the other answer could not be told from it.
  const entries = { bytes: 16 + 2 * ENTRY_BYTES };
  change(dir, (db) =>
    expect(db.prepare("SELECT length(answers) AS bytes FROM batch WHERE first = 1").get()).toEqual(entries),
  );
});

it("a host whose secret is damaged says so and does not start its log", async () => {
  const dir = temporaryDir();
  writeFileSync(join(dir, "seal.key"), "nothing\n");
  await expect(openLog(dir)).rejects.toThrow("seal.key holds no secret");
});

it("the seal of a row breaks with any change and opens with no other key", () => {
  const seal = rowSeal();
  const sealed = seal.seal("caf\u00e9 \u{1f512}\nb");
  expect(seal.unseal(sealed)).toBe("caf\u00e9 \u{1f512}\nb");
  expect(rowSeal().unseal(sealed)).toBeNull();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(seal.unseal(changed)).toBeNull();
  }
  for (const length of [0, 11, 27, sealed.length - 1]) expect(seal.unseal(sealed.subarray(0, length))).toBeNull();
  expect(seal.unseal(seal.seal(""))).toBe("");
});
