import { parseConfig } from "@bailiwick/contract";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createBundles, type Bundles } from "../bundles/create-bundles.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import { Refusal } from "../kernel/refusal.ts";
import { openSeals } from "../storage/open-seals.ts";
import { NO_PORT } from "../kernel/host-extension.ts";
import { openTokenStore } from "../storage/token-store.ts";
import { recordBundles } from "./control-bundles.ts";
import { createHostEvents } from "./record-host-events.ts";

const makeBundles = async (): Promise<Bundles> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-control-"));
  const file = { bundles: [{ path: "absent", serverName: "demo", enabled: false }] };
  const { config } = parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
  if (config === null) throw new Error("not a configuration");
  const bundles = createBundles({
    workspace: "ws_default",
    extensions: { port: () => NO_PORT },
    storedValues: () => ({}),
    config,
    baseDir: dir,
    workDir: dir,
    env: process.env,
    hostVersion: "0.0.0",
    sink: { add() {}, remove() {}, changed() {} },
    oauth: { store: openTokenStore(dir, openSeals(dir)), origin: () => "http://127.0.0.1:7420" },
    resolveSecrets: (entry) => ({ ok: true, entry, secrets: [] }),
    log() {},
    report() {},
  });
  onTestFinished(async () => {
    await bundles.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  await bundles.start();
  return bundles;
};

/** A disk that is full. */
const fullLog: EvidenceLog = {
  append: () => Promise.reject(new Refusal("evidence_unavailable", { message: "No space.", next: "Free some." })),
  writable: () => false,
  close: () => Promise.resolve(),
};

it("nothing is started, stopped or restarted where it cannot be recorded", async () => {
  const bundles = await makeBundles();
  const recorded = recordBundles(
    bundles,
    createHostEvents(fullLog, "h", () => {}),
  );
  const [before] = recorded.list();
  expect(before).toMatchObject({
    name: "demo",
    status: "stopped",
    health: "down",
    next: expect.any(String) as unknown,
  });
  for (const change of ["start", "stop", "restart"] as const) {
    await expect(recorded.change(change, "demo", "person:owner")).rejects.toMatchObject({
      kind: "evidence_unavailable",
    });
  }
  expect(recorded.list()).toEqual([before]);
});
