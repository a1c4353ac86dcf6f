import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { draft, ended, openLog } from "../storage/evidence-for-tests.ts";
import { openSigningKey } from "../storage/signing-key.ts";
import { openEvidence, readKey, verifyEvidenceFile, type Evidence, type EvidenceExport } from "./open-evidence.ts";

const makeDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-evidence-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** A host that ran, made some calls and stopped. */
const made = async (calls: number, passphrase?: string): Promise<string> => {
  const dir = makeDir();
  const key = openSigningKey(dir, "test-host", { passphrase });
  const log = await openLog(dir, { signing: key.material() });
  for (let i = 0; i < calls; i++) {
    const started = draft({ correlationId: `corr_${i % 3}` });
    await log.append(started);
    await log.append(ended(started));
  }
  await log.close();
  return dir;
};

const open = (dir: string, passphrase: string | null = null): Evidence => {
  const evidence = openEvidence(dir, passphrase);
  onTestFinished(() => evidence.close());
  return evidence;
};

const exportTo = async (
  dir: string,
  order: Partial<EvidenceExport>,
  passphrase: string | null = null,
): Promise<string> => {
  let text = "";
  for await (const part of open(dir, passphrase).export({ format: "jsonl", payloads: true, ...order })) text += part;
  const file = join(makeDir(), "export");
  writeFileSync(file, text);
  return file;
};

describe("evidence of a host that does not run", () => {
  it("verifies against what the host signed when it stopped, and its own key", async () => {
    const dir = await made(4);
    expect(open(dir).verify()).toMatchObject({
      valid: true,
      tier: "signed",
      count: 8,
      unsigned: 0,
      checks: { signature: "pass", key_pinned: "pass", host_identity: "pass", log: "pass" },
    });
  });

  it("is not valid any more when a record was changed, or one that was signed is gone", async () => {
    const dir = await made(4);
    const kept = open(dir).checkpoint() ?? "";
    const db = new DatabaseSync(join(dir, "evidence.db"));
    db.exec("DROP TRIGGER batch_no_delete; DELETE FROM batch WHERE first >= 7");
    db.close();
    expect(open(dir).verify().valid).toBe(false);
    expect(open(dir).verify({ checkpoint: kept })).toMatchObject({ valid: false, checks: { log: "fail" } });
  });

  it("is signed by nobody when records that were signed are gone from its end", async () => {
    const dir = await made(4);
    const db = new DatabaseSync(join(dir, "evidence.db"));
    db.exec("DROP TRIGGER batch_no_delete; DELETE FROM batch WHERE first >= 7");
    db.close();
    expect(() => open(dir).checkpoint()).toThrow("it ends at event 6, but 8 events were signed");
    await expect(exportTo(dir, { format: "jsonl" })).rejects.toMatchObject({ kind: "evidence_unavailable" });
    const bundle = { format: "bundle", correlation: "corr_0" } as const;
    await expect(exportTo(dir, bundle)).rejects.toMatchObject({ kind: "evidence_unavailable" });
  });

  it("is exported signed in every form that can be, for whoever has only the key", async () => {
    const dir = await made(4);
    const key = readKey(openSigningKey(dir, "test-host").signer().publicKey);
    if (key === null) throw new Error("no key");
    const checkpoint = open(dir).checkpoint() ?? "";
    const orders: Partial<EvidenceExport>[] = [
      {},
      { payloads: false },
      { from: 3, to: 6 },
      { correlation: "corr_1" },
      { format: "bundle", correlation: "corr_0" },
      { format: "bundle", correlation: "corr_0", payloads: false },
    ];
    for (const order of orders) {
      const file = await exportTo(dir, order);
      expect(verifyEvidenceFile(file, { key })).toMatchObject({
        valid: true,
        tier: "signed",
        unsigned: 0,
        checks: { signature: "pass", key_pinned: "pass" },
      });
    }
    expect(verifyEvidenceFile(await exportTo(dir, {}), { checkpoint })).toMatchObject({ valid: true, compared: true });
    expect(open(dir).canSign).toBe(true);
  });

  it("is exported with the last checkpoint where its key is sealed", async () => {
    const dir = await made(4, "correct horse");
    expect(open(dir).canSign).toBe(false);
    const file = await exportTo(dir, {});
    expect(verifyEvidenceFile(file)).toMatchObject({ valid: true, tier: "signed", unsigned: 0 });
    const bundle = await exportTo(dir, { format: "bundle", correlation: "corr_0" });
    expect(verifyEvidenceFile(bundle)).toMatchObject({ valid: true, tier: "hash-chain" });
    const signed = await exportTo(dir, { format: "bundle", correlation: "corr_0" }, "correct horse");
    expect(verifyEvidenceFile(signed)).toMatchObject({ valid: true, tier: "signed" });
  }, 30_000);

  it("is told as a trace", async () => {
    const dir = await made(2);
    expect(open(dir).trace("corr_1")).toMatchObject({
      correlation_id: "corr_1",
      invocations: [{ steps: [{ step: "actor", id: "agent://mcp-client" }, {}, { id: "test-host" }, {}, {}, {}] }],
    });
  });
});

it("a key that was replaced leads to the one that signs now", async () => {
  const dir = await made(2);
  const key = openSigningKey(dir, "test-host");
  const old = key.signer().publicKey;
  key.rotate();
  // What was signed last was signed with the old key.
  expect(open(dir).verify()).toMatchObject({ valid: true, tier: "signed", checks: { key_pinned: "pass" } });
  const log = await openLog(dir, { signing: key.material() });
  await log.append(draft());
  await log.close();
  const file = await exportTo(dir, {});
  const pin = readKey(old);
  if (pin === null) throw new Error("no key");
  // The export brings the way along.
  expect(verifyEvidenceFile(file, { key: pin }).checks.key_pinned).toBe("pass");
  const bundle = await exportTo(dir, { format: "bundle", correlation: "corr_0" });
  expect(verifyEvidenceFile(bundle, { key: pin }).checks.key_pinned).toBe("fail");
  const document = readKey(JSON.stringify(key.identity()));
  if (document === null) throw new Error("no document");
  expect(verifyEvidenceFile(bundle, { key: pin, documents: [document] }).checks.key_pinned).toBe("pass");
});
