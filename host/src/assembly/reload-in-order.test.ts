/** A reload is recorded before anything of it is done, takes place whole or not at all, and misses nothing. */
import { lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { holdEvidence, makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const begin = async (): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  for (const name of ["one", "two", "three"]) place.bundle(name);
  place.configure({ bundles: [{ path: "one" }] });
  const host = await place.start();
  await host.until("one", "running");
  // Nothing else is written then.
  const isWritten = (type: string): boolean => place.evidence(type).length === 1;
  await until(() => isWritten("bundle_started") && isWritten("bundle_definitions_accepted"));
  return { place, host };
};

it("says what it will do before it does it, also when only the file changed", async () => {
  const { place, host } = await begin();
  place.configure({ bundles: [{ path: "two" }] });
  await host.until("two", "running");
  await until(() => place.evidence("bundle_started").length === 2);
  const [begun] = place.evidence("config_reload_begun");
  expect(begun?.payload).toMatchObject({ added: ["two"], removed: ["one"], changed: [], keys: ["bundles"] });
  const types = place.evidence().map(({ event_type, payload }) => `${event_type} ${payload["bundle"] ?? ""}`);
  const at = types.indexOf("dev.bailiwick.config_reload_begun ");
  expect(types.indexOf("dev.bailiwick.bundle_started two")).toBeGreaterThan(at);
});

it("does nothing where that cannot be recorded, and is made up for later", async () => {
  const { place, host } = await begin();
  const release = holdEvidence(place);
  place.configure({ bundles: [{ path: "one", protected: true }, { path: "two" }] });
  const become = async (status: string): Promise<void> => {
    await expect.poll(async () => (await host.rest("GET", "/v1/health")).json.status, { timeout: 20_000 }).toBe(status);
  };
  await become("failed");
  expect(host.stateOf("two")).toBeNull();
  release();
  await become("ok");
  // What runs still stands in what is in force, so that it can be removed.
  expect((await host.rest("GET", "/v1/apps/one")).json.protected).toBe(false);
  expect((await host.rest("DELETE", "/v1/apps/one")).status).toBe(200);
  await host.until("two", "running");
  expect(place.configured().bundles).toEqual([{ path: "two" }]);
  expect(host.stateOf("one")).toBeNull();
});

it("follows what was written by hand while something was being installed", async () => {
  const { place, host } = await begin();
  place.bundle("three", {}, { STEERED_HOLD: "1" });
  const installing = host.bundles.install({ path: "three" });
  await until(() => place.marks("three").length === 1);
  place.configure({ bundles: [{ path: "one" }, { path: "two" }] });
  place.release("three");
  await installing;
  await host.until("two", "running");
  expect(place.configured().bundles).toEqual([{ path: "one" }, { path: "two" }, { path: "three" }]);
  expect([place.marks("one").length, place.marks("three").length]).toEqual([1, 1]);
});

it("follows a file behind a link, and installs leave the link", async () => {
  const place = makePlace();
  for (const name of ["one", "two"]) place.bundle(name);
  place.configure({ bundles: [] });
  const link = join(place.dir, "bailiwick.json");
  const real = join(place.dir, "real", "settings.json");
  mkdirSync(join(place.dir, "real"));
  renameSync(link, real);
  symlinkSync(real, link);
  const host = await place.start();
  await host.bundles.install({ path: "one" });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  const config = JSON.parse(readFileSync(real, "utf8")) as { bundles: object[] };
  expect(config.bundles).toEqual([{ path: "one" }]);
  // As an editor does, which does not write into the file itself.
  writeFileSync(`${real}.new`, JSON.stringify({ ...config, bundles: [{ path: "one" }, { path: "two" }] }));
  renameSync(`${real}.new`, real);
  await host.until("two", "running");
});

it("of another workspace is no news either when the host wrote the file", async () => {
  const { place, host } = await begin();
  const folder = join(place.workDir, "workspaces", "ws_lab");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "workspace.json"), JSON.stringify({ noDefaultBundles: true }));
  const lab = { "x-workspace-id": "ws_lab" };
  const order = { path: join(place.dir, "two") };
  expect((await host.rest("POST", "/v1/apps/install", order, lab)).status).toBe(201);
  await sleep(500);
  expect(place.evidence("config_reload_begun")).toEqual([]);
});
