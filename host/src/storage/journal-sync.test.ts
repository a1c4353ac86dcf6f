import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JournalSync } from "./journal-sync.ts";

let dir: string;
let told: [readonly string[], string | null][];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-journal-"));
  told = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const journalPath = (): string => join(dir, "journal");
const open = (): JournalSync<string> =>
  new JournalSync<string>(journalPath(), (commits, error) => told.push([commits, error && error.message]));
const settled = (): Promise<void> => expect.poll(() => told.length, { interval: 5 }).toBeGreaterThan(0);

describe("commits that wait for the disk", () => {
  it("are told of at once when they are small", () => {
    writeFileSync(journalPath(), "x");
    open().add("a", 1);
    expect(told).toEqual([[["a"], null]]);
  });

  it("are told of in their order, those that came meanwhile together", async () => {
    writeFileSync(journalPath(), "x");
    const journal = open();
    journal.add("a", 50);
    journal.add("b", 1);
    journal.add("c", 50);
    expect(told).toEqual([]);
    await expect.poll(() => told.flatMap(([commits]) => commits)).toEqual(["a", "b", "c"]);
    expect(told.every(([, error]) => error === null)).toBe(true);
  });

  it("are told of once, in order, when somebody cannot wait for the other thread", async () => {
    writeFileSync(journalPath(), "x");
    const journal = open();
    journal.add("a", 50);
    journal.add("b", 50);
    journal.close();
    expect(told).toEqual([[["a", "b"], null]]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told).toHaveLength(1);
  });

  it("all fail with the first that fails: nobody knows what the disk has", async () => {
    const journal = open();
    journal.add("a", 50);
    journal.add("b", 50);
    await settled();
    expect(told.flatMap(([commits]) => commits)).toContain("a");
    expect(told.every(([, error]) => error !== null)).toBe(true);
  });

  it("are synced in the journal that is there now, after a failure too", async () => {
    const journal = open();
    journal.add("lost", 1);
    expect(told[0]?.[1]).toContain("ENOENT");
    writeFileSync(journalPath(), "x");
    journal.add("kept", 1);
    expect(told[1]).toEqual([["kept"], null]);
  });
});
