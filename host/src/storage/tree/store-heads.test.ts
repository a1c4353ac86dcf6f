import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { contentHashOfLine, correlationOfLine } from "../event-line.ts";
import { draft, openLog, temporaryDir } from "../evidence-for-tests.ts";
import { prepareSchema } from "../evidence-schema.ts";
import { stable } from "../../kernel/stable.ts";
import { openEvidenceReader } from "../read-evidence.ts";
import { StoreHeads } from "./store-heads.ts";

const headByDefinition = (dir: string, sequence: number): string => {
  const reader = openEvidenceReader(dir);
  const heads = new Map(
    [...reader.range(1, sequence)].map((line) => [correlationOfLine(line), contentHashOfLine(line)]),
  );
  reader.close();
  const ids = [...heads.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const hash = createHash("sha256");
  for (const id of ids) hash.update(`${id}\0${heads.get(id)}\n`);
  return hash.digest("hex");
};

describe("the head of scheme v1", () => {
  it("is that of all correlations, follows the log, and is remembered where it was asked for", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const ids = ["b", "a", "\u{1f512}", "\uff5e", "a", "a b"];
    for (const correlationId of ids) await log.append(draft({ correlationId, type: "noted" }));
    const heads = new StoreHeads(dir);
    const [four, six] = await Promise.all([heads.at(4), heads.at(6), heads.at(6)]);
    expect(four).toBe(headByDefinition(dir, 4));
    expect(six).toBe(headByDefinition(dir, 6));
    await log.append(draft({ correlationId: "a", type: "noted" }));
    expect(await heads.at(7)).toBe(headByDefinition(dir, 7));
    expect(await new StoreHeads(dir).at(6)).toBe(six);
    expect(await heads.at(5)).toBeNull();
    expect(statSync(join(dir, "heads.db")).mode & 0o777).toBe(0o600);
  });

  it("is the one of the vector", async () => {
    const dir = temporaryDir();
    const vector = JSON.parse(
      readFileSync(new URL("../../../test/vectors/bailiwick/evidence.json", import.meta.url), "utf8"),
    ) as { events: unknown[]; store_head_v1_at_3: string };
    const db = new DatabaseSync(join(dir, "evidence.db"));
    prepareSchema(db);
    db.prepare("INSERT INTO batch (first, count, correlations, events) VALUES (1, 3, ?, ?)").run(
      '"corr_demo"\n"corr_other"',
      vector.events.map(stable).join("\n"),
    );
    db.close();
    expect(await new StoreHeads(dir).at(3)).toBe(vector.store_head_v1_at_3);
  });

  it("has no part of what was purged, and stays what it was for the time before", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    for (const correlationId of ["a", "b", "c"]) await log.append(draft({ correlationId, type: "noted" }));
    const heads = new StoreHeads(dir);
    const before = await heads.at(3);
    await log.purge({ correlationIds: ["b"], policy: "requested" });
    expect(await heads.at(4)).toBe(headByDefinition(dir, 4));
    expect(await new StoreHeads(dir).at(3)).toBe(before);
  });
});
