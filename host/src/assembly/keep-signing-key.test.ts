/** No key without its event: whatever happens between the key file and the log, the next start makes up for it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { HostKeys } from "../kernel/host-keys.ts";
import { openEvidenceLog, type OpenEvidenceLog } from "../storage/open-evidence-log.ts";
import { openEvidenceReader } from "../storage/read-evidence.ts";
import { openSigningKey, type SigningKey } from "../storage/signing-key.ts";
import { keepSigningKey } from "./keep-signing-key.ts";
import { createHostEvents } from "./record-host-events.ts";

interface Run {
  readonly key: SigningKey;
  readonly log: OpenEvidenceLog;
  readonly keys: HostKeys;
}

const makeDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-signing-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** `asked`: runs once, when a change was asked for and nothing is done about it yet. */
const open = async (dir: string, asked = (): void => {}): Promise<Run> => {
  const key = openSigningKey(dir, "h");
  const common = { dir, hostId: "h", environment: "test", durability: "before-execution" } as const;
  const log = await openEvidenceLog({ ...common, signing: key.material() });
  onTestFinished(() => log.close().catch(() => undefined));
  const events = createHostEvents(log, "h", () => {});
  let left = 1;
  const write: typeof events.write = async (...event) => {
    const receipt = await events.write(...event);
    if (left-- > 0) asked();
    return receipt;
  };
  return { key, log, keys: await keepSigningKey({ key, log, events: { ...events, write } }) };
};

const recorded = (dir: string): [type: string, keyId: unknown][] => {
  const reader = openEvidenceReader(dir);
  const events = [...reader.byCorrelation("host-identity-h")].map(
    (line) => JSON.parse(line) as { event_type: string; payload: Record<string, unknown> },
  );
  reader.close();
  return events
    .filter(({ event_type }) => event_type.startsWith("key_"))
    .map(({ event_type, payload }) => [
      event_type,
      payload["new_key_id"] ?? payload["revoked_key_id"] ?? payload["key_id"],
    ]);
};

it("a host that died before it told of its first key, or of later ones, does so at the next start, and once", async () => {
  const dir = makeDir();
  const first = openSigningKey(dir, "h").signer().keyId;
  const run = await open(dir);
  expect(recorded(dir)).toEqual([["key_generated", first]]);
  await run.log.close();
  const dying = openSigningKey(dir, "h");
  const { new_key_id: second } = dying.rotate();
  dying.revoke(first, "lost");
  const all = [
    ["key_generated", first],
    ["key_rotated", second],
    ["key_revoked", first],
  ];
  for (let start = 0; start < 2; start++) {
    const { log } = await open(dir);
    expect(recorded(dir)).toEqual(all);
    await log.close();
  }
});

it("a rotation that cannot be recorded says so, signs with the new key, and is recorded with the next one", async () => {
  const dir = makeDir();
  let release = (): void => {};
  const lock = (): void => {
    const other = new DatabaseSync(join(dir, "evidence.db"));
    other.exec("BEGIN IMMEDIATE");
    release = () => other.close();
  };
  const { key, log, keys } = await open(dir, lock);
  const first = key.signer().keyId;
  await expect(keys.rotate("person:owner")).rejects.toMatchObject({ kind: "outcome_unrecorded" });
  const second = key.signer();
  release();
  expect(second.keyId).not.toBe(first);
  expect(recorded(dir)).toEqual([["key_generated", first]]);
  expect(JSON.parse((await log.checkpoint()) ?? "")).toMatchObject({ public_key: second.publicKey });
  const { key_id: third } = await keys.rotate("person:owner");
  expect(recorded(dir)).toEqual([
    ["key_generated", first],
    ["key_rotated", second.keyId],
    ["key_rotated", third],
  ]);
});
