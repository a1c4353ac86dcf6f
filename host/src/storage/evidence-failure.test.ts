import { execFile } from "node:child_process";
import { renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import { draft, ended, openLog, temporaryDir } from "./evidence-for-tests.ts";
import { openEvidenceReader } from "./read-evidence.ts";
import { verifyEvidence } from "./verify-evidence.ts";

const verifyAll = (dir: string) => {
  const reader = openEvidenceReader(dir);
  const verification = verifyEvidence(reader.range(1, reader.last()));
  reader.close();
  return verification;
};

/** Keeps the write lock of the database, as a foreign program could. */
const holdWriteLock = (dir: string): (() => void) => {
  const other = new DatabaseSync(join(dir, "evidence.db"));
  other.exec("BEGIN IMMEDIATE");
  onTestFinished(() => {
    if (other.isOpen) other.close();
  });
  return () => other.close();
};

describe("when evidence cannot be written", () => {
  it("refuses every waiting event, then goes on without gap or repetition", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const started = draft();
    await log.append(started);
    const release = holdWriteLock(dir);
    const results = await Promise.allSettled(Array.from({ length: 600 }, () => log.append(draft({ type: "noted" }))));
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { kind: "evidence_unavailable" } });
      expect(result.status === "rejected" && (result.reason as Refusal).next).toContain("bailiwick doctor");
    }
    expect(log.writable()).toBe(false);
    expect(log.problem()).toContain("locked");
    release();
    expect((await log.append(ended(started))).sequence).toBe(2);
    expect(log.writable()).toBe(true);
    expect((await log.append(draft())).sequence).toBe(3);
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 3 });
  });

  it("refuses when the disk takes no more, and has everything it acknowledged", async () => {
    const dir = temporaryDir();
    const program = fileURLToPath(new URL("./crash-for-tests.ts", import.meta.url));
    // A limit on the size of files is a full disk for one process: the write itself fails.
    const limited = ["-c", 'ulimit -f 1000; exec "$0" "$@"', process.execPath, program, dir];
    const { stdout } = await promisify(execFile)("sh", limited, { timeout: 25_000 });
    const said = stdout.trim().split("\n");
    // Calls that were under way beside the refused one may still be told how they ended.
    expect(said).toContain("refused evidence_unavailable unwritable");
    await openLog(dir);
    const reader = openEvidenceReader(dir);
    const stored = new Set(
      [...reader.range(1, reader.last())].map((line) => (JSON.parse(line) as { event_id: string }).event_id),
    );
    reader.close();
    const acknowledged = said.filter((line) => line.startsWith("evt_"));
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: stored.size });
  });

  it("becomes writable by itself once the store works again", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const release = holdWriteLock(dir);
    await expect(log.append(draft())).rejects.toMatchObject({ kind: "evidence_unavailable" });
    release();
    await vi.waitFor(() => expect(log.writable()).toBe(true), { timeout: 15_000, interval: 50 });
    expect((await log.append(draft())).sequence).toBe(1);
  });

  it("does not write into a file that was taken away, and takes it back", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const started = draft();
    await log.append(started);
    renameSync(dir, `${dir}-gone`);
    onTestFinished(() => rmSync(`${dir}-gone`, { recursive: true, force: true }));
    await vi.waitFor(
      () => expect(log.append(draft({ type: "noted" }))).rejects.toMatchObject({ kind: "evidence_unavailable" }),
      { timeout: 15_000, interval: 200 },
    );
    renameSync(`${dir}-gone`, dir);
    const receipt = await log.append(ended(started));
    const verification = verifyAll(dir);
    expect(verification).toMatchObject({ valid: true, count: receipt.sequence });
  });

  it("keeps a second host out of the directory and lets it in afterwards", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const refusal: unknown = await openLog(dir).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).message).toContain(dir);
    expect((refusal as Refusal).message).toContain("another host is running");
    expect((await log.append(draft())).sequence).toBe(1);
    await log.close();
    const next = await openLog(dir);
    expect(next.recovered).toBe(1);
  });

  it("keeps no long journal once whoever read for long has ended", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await log.append(draft());
    const other = new DatabaseSync(join(dir, "evidence.db"));
    onTestFinished(() => other.close());
    other.exec("BEGIN; SELECT count(*) FROM batch");
    const length = (): number => statSync(join(dir, "evidence.db-wal")).size;
    const long = draft({ type: "noted", payload: JSON.stringify({ x: "x".repeat(900_000) }) });
    for (let i = 0; i < 20; i++) await log.append(long);
    expect(length()).toBeGreaterThan(16 << 20);
    other.exec("COMMIT");
    for (let i = 0; i < 3; i++) await log.append(draft());
    expect(length()).toBeLessThan(9 << 20);
  });

  it("refuses to change or remove what was written", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await log.append(draft());
    const other = new DatabaseSync(join(dir, "evidence.db"));
    onTestFinished(() => other.close());
    expect(() => other.exec("UPDATE batch SET events = ''")).toThrow("append-only");
    expect(() => other.exec("UPDATE batch SET answers = NULL")).toThrow("append-only");
    expect(() => other.exec("DELETE FROM batch")).toThrow("append-only");
    expect(() => other.exec("INSERT INTO batch VALUES (9, 1, NULL, 'x', 'x', NULL)")).toThrow("append-only");
    expect(() => other.exec("INSERT OR REPLACE INTO batch VALUES (1, 1, NULL, 'x', 'x', NULL)")).toThrow("append-only");
    expect(verifyAll(dir)).toMatchObject({ valid: true, count: 1 });
  });
});
