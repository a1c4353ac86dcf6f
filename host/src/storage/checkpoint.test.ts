import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { signerOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { makeCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { draft, openLog, temporaryDir } from "./evidence-for-tests.ts";
import type { OpenEvidenceLog } from "./open-evidence-log.ts";
import { TreeReader } from "./tree/tree-reader.ts";

const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const SIGNER = signerOf(SEED);
const signing = { seed: SEED, publicKeys: [SIGNER.publicKey] };
const other = signerOf(Buffer.alloc(32, 9));

interface Checkpoint {
  readonly tree_size: number;
  readonly root_hash: string;
  readonly at: string;
  readonly public_key: string;
}
const parse = (text: string | null): Checkpoint => JSON.parse(text ?? "null") as Checkpoint;
const note = async (log: OpenEvidenceLog, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: count }, () => log.append(draft({ type: "noted" }))));
};
const stored = (dir: string): Checkpoint[] => {
  const tree = new TreeReader(dir);
  const all = tree.checkpoints(0, 1000).map(parse);
  for (const each of all) expect(each.root_hash).toBe(tree.root(each.tree_size));
  tree.close();
  return all;
};
const change = (dir: string, sql: string): void => {
  const db = new DatabaseSync(join(dir, "evidence.db"));
  db.exec(sql);
  db.close();
};

describe("a checkpoint", () => {
  it("is the one of the vector, byte by byte", () => {
    const { checkpoint } = JSON.parse(
      readFileSync(new URL("../../test/vectors/bailiwick/evidence.json", import.meta.url), "utf8"),
    ) as { checkpoint: Record<string, unknown> };
    const head = {
      hostId: "service-ops-host",
      size: 3,
      root: String(checkpoint["root_hash"]),
      at: String(checkpoint["at"]),
    };
    const text = makeCheckpoint(head, SIGNER);
    expect(text).toBe(stable(checkpoint));
    expect(readCheckpoint(text, [SIGNER.publicKey])).toEqual({ treeSize: 3, rootHash: head.root });
    expect(readCheckpoint(text, [other.publicKey])).toContain("not this host's");
    expect(readCheckpoint(text.replace('"tree_size": 3', '"tree_size": 2'), [SIGNER.publicKey])).toContain("signature");
    expect(readCheckpoint(text.replace(SIGNER.keyId, other.keyId), [SIGNER.publicKey])).toContain("key id");
    expect(readCheckpoint("{", [SIGNER.publicKey])).toContain("read");
  });

  it("is made after 1,000 events, on demand and at the end, once for each state of the log", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { signing });
    expect(await log.checkpoint()).toBeNull();
    await note(log, 3);
    const asked = parse(await log.checkpoint());
    expect(asked).toMatchObject({ tree_size: 3, public_key: SIGNER.publicKey });
    expect(parse(await log.checkpoint())).toEqual(asked);
    for (let i = 0; i < 30; i++) await note(log, 50);
    expect(stored(dir).map((each) => each.tree_size)).toEqual([3, 1003]);
    await log.close();
    expect(stored(dir).map((each) => each.tree_size)).toEqual([3, 1003, 1503]);
    const again = await openLog(dir, { signing });
    await again.close();
    expect(stored(dir)).toHaveLength(3);
  });

  it("of another key follows when the host's key changes, and the earlier ones still count", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { signing });
    await note(log, 1);
    await log.checkpoint();
    const both = { seed: Buffer.alloc(32, 9), publicKeys: [SIGNER.publicKey, other.publicKey] };
    await log.signWith(both);
    await note(log, 1);
    expect(parse(await log.checkpoint()).public_key).toBe(other.publicKey);
    await log.close();
    await openLog(dir, { signing: both });
  });

  it("is not made for a log that is not signed", async () => {
    const log = await openLog(temporaryDir());
    await note(log, 1);
    expect(await log.checkpoint()).toBeNull();
  });
});

describe("a log that was changed while no host ran", () => {
  const changed = async (sql: string): Promise<string> => {
    const dir = temporaryDir();
    const log = await openLog(dir, { signing });
    for (let i = 0; i < 30; i++) await note(log, 10);
    await log.close();
    change(dir, sql);
    const error: unknown = await openLog(dir, { signing }).catch((no: unknown) => no);
    return (error as Error).message;
  };
  const open = "DROP TRIGGER batch_no_update; DROP TRIGGER batch_no_delete; DROP TRIGGER tile_no_update;";

  it("is refused when an event is another one", async () => {
    const reason = await changed(
      `${open} UPDATE batch SET events = replace(events, '"content_hash": "', '"content_hash": "0') WHERE first > 256`,
    );
    expect(reason).toContain("the log was changed: the checkpoint of event 300 is not true of it");
  });

  it("is refused when its end is gone", async () => {
    expect(await changed(`${open} DELETE FROM batch WHERE first > 280`)).toContain("the log ends at event");
  });

  it("is refused when a hash of its tree is another one", async () => {
    expect(await changed(`${open} UPDATE tile SET root = zeroblob(32)`)).toContain("another root");
  });

  it("is refused when the checkpoint is somebody else's", async () => {
    const foreign = makeCheckpoint(
      { hostId: "test-host", size: 300, root: "00".repeat(32), at: "2026-01-01T00:00:00.000Z" },
      other,
    );
    const sql = `DROP TRIGGER checkpoint_no_update; UPDATE checkpoint SET text = '${foreign}'`;
    expect(await changed(sql)).toContain("not this host's");
  });
});
