import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { expect, it, onTestFinished } from "vitest";
import type { EvidenceLog } from "../kernel/evidence.ts";
import { Refusal } from "../kernel/refusal.ts";
import { openEvidenceLog } from "../storage/open-evidence-log.ts";
import { openKeyStore } from "../storage/key-store.ts";
import { createWorkspaces } from "../workspace/workspaces.ts";
import { recordKeys } from "./control-keys.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHostEvents } from "./record-host-events.ts";

const makeDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-keys-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** A disk that is full. */
const refuses = (): Promise<never> =>
  Promise.reject(new Refusal("evidence_unavailable", { message: "No space.", next: "Free some." }));
const fullLog: EvidenceLog = {
  append: refuses,
  appendAll: refuses,
  writable: () => false,
  close: () => Promise.resolve(),
};

const CONFIG = parseConfig("{}", { dialect: "bailiwick" }).config!;

const record = (dir: string, log: EvidenceLog) =>
  recordKeys({
    store: openKeyStore(dir),
    events: createHostEvents(log, "h", () => {}),
    workspaces: createWorkspaces({ workDir: dir, host: () => CONFIG }),
    revoked: () => {},
  });

it("no key is made or revoked where it cannot be recorded", async () => {
  const dir = makeDir();
  const { secret } = await openKeyStore(dir).create({ name: "old" });
  const keys = record(dir, fullLog);
  const before = await keys.list();
  await expect(keys.create({ name: "new" }, "person:owner")).rejects.toMatchObject({ kind: "evidence_unavailable" });
  await expect(keys.revoke("old", "person:owner")).rejects.toMatchObject({ kind: "evidence_unavailable" });
  expect(await keys.list()).toEqual(before);
  expect(openKeyStore(dir).find(secret)).toMatchObject({ name: "old" });
});

it("who asked for which key is recorded before it is made or revoked, and never its secret", async () => {
  const dir = makeDir();
  const log = await openEvidenceLog({ dir, hostId: "h", environment: "test", durability: "before-execution" });
  const keys = record(dir, log);
  const { secret } = await keys.create({ name: "ci", scopes: ["a__*"], permissions: ["keys:manage"] }, "agent:ops");
  await expect(keys.create({ name: "ci" }, "agent:ops")).rejects.toMatchObject({ kind: "name_taken" });
  await expect(keys.create({ name: "No Name" }, "agent:ops")).rejects.toMatchObject({ kind: "bad_request" });
  await keys.revoke("ci", "person:owner");
  await expect(keys.revoke("x".repeat(9000), "person:owner")).rejects.toMatchObject({ kind: "not_found" });
  await log.close();

  const evidence = openEvidence(dir);
  const lines = [...evidence.range(1, evidence.last())];
  evidence.close();
  const events = lines.map((line) => JSON.parse(line) as { event_type: string; payload: object });
  const asked = { name: "ci", as: "agent:ci", for: "person:owner", by: "agent:ops" };
  expect(events.map(({ event_type, payload }) => [event_type.replace("dev.bailiwick.", ""), payload])).toEqual([
    ["key_create_asked", { ...asked, scopes: ["a__*"], permissions: ["keys:manage"] }],
    ["key_created", { name: "ci" }],
    ["key_create_asked", { ...asked, scopes: null, permissions: [] }],
    ["key_revoke_asked", { name: "ci", by: "person:owner" }],
    ["key_revoked", { name: "ci" }],
    ["key_revoke_asked", { name: "x".repeat(64), by: "person:owner" }],
  ]);
  expect(lines.join("")).not.toContain(secret);
});
