import { hash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { draft, openLog, rowSeal, temporaryDir } from "./evidence-for-tests.ts";

const [MINE, YOURS] = [hash("sha256", "mine"), hash("sha256", "yours")];
const SECRET = "s3cret-of-the-tool";
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
  expect(bytesOf(dir)).toContain(MINE);
  expect(bytesOf(dir)).not.toContain(SECRET);
  await log.close();
};

it.each([
  ["small", ""],
  ["large", "x".repeat(100_000)],
])("of a %s answer nothing stands in the open on the disk, and it is given again", async (_, large) => {
  const dir = temporaryDir();
  await writeTwo(dir, large);
  expect(bytesOf(dir)).not.toContain(SECRET);
  expect((await openLog(dir)).state.reply(MINE)?.text).toBe(`${SECRET}${large}`);
});

it("an answer that an earlier version kept is given again, and can be purged", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  const texts = `${eventId("mine")} bw1.mine\n${eventId("yours")} bw1.yours`;
  change(dir, (db) => {
    db.exec("ALTER TABLE reply DROP COLUMN sealed; DELETE FROM reply; PRAGMA user_version = 3");
    const insert = db.prepare("INSERT INTO reply (first, at, keys, sequences, texts) VALUES (1, ?, ?, '1,2', ?)");
    insert.run(Date.now(), `${MINE}${YOURS}`, texts);
  });
  const log = await openLog(dir);
  expect(log.state.reply(MINE)).toEqual({ text: "bw1.mine", eventIds: [eventId("mine")] });
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  expect(log.state.reply(MINE)).toBeNull();
  expect(log.state.reply(YOURS)).toEqual({ text: "bw1.yours", eventIds: [eventId("yours")] });
});

const UNREADABLE = { text: "", eventIds: [] };

it("an answer whose seal does not open is not taken for one that never was, nor after a purge of its row", async () => {
  const dir = temporaryDir();
  await writeTwo(dir);
  writeFileSync(join(dir, "seal.key"), `${randomBytes(32).toString("base64url")}\n`);
  const log = await openLog(dir);
  expect([log.state.reply(MINE), log.state.reply(YOURS)]).toEqual([UNREADABLE, UNREADABLE]);
  await log.purge({ correlationIds: ["mine"], policy: "requested" });
  expect([log.state.reply(MINE), log.state.reply(YOURS)]).toEqual([UNREADABLE, UNREADABLE]);
  change(dir, (db) => expect(db.prepare("SELECT length(sealed) AS n FROM reply").all()).toEqual([{ n: 0 }]));
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
