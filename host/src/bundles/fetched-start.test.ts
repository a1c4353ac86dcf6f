/** Bundles whose package must be fetched first: what that does to their start, and to others'. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fixtureManifest, makeBundle, makeWorkDir, runBundles, until, untilRunning } from "./bundles-for-tests.ts";
import type { Locate, Located, LocateOrder } from "./located.ts";
import { makeRawZip } from "./sources/archive-for-tests.ts";
import { PROCESS_TIMING } from "./timing.ts";

const archiveOf = (manifest: object): Buffer =>
  makeRawZip([{ name: "manifest.json", data: Buffer.from(JSON.stringify(manifest)) }]);

const REQUIRING = {
  _meta: {
    "ai.nimblebrain/host": {
      host_version: "1.1",
      host_capabilities: { "ai.nimblebrain/host-resources": { required: true } },
    },
  },
};

const locatedAt = (directory: string): Located => ({
  directory,
  manifest: null,
  digest: "sha256:ab",
  cached: false,
  origin: "a test",
  trustScore: null,
  certificationLevel: null,
});

test("one that the gate refuses now is refused, and no newer one runs in its place", async () => {
  const dir = makeWorkDir();
  const shelf = join(dir, "shelf");
  mkdirSync(shelf);
  const put = (version: string, more: object): void =>
    writeFileSync(join(shelf, `${version}.mcpb`), archiveOf({ ...fixtureManifest("@acme/up"), version, ...more }));
  put("1.0.0", REQUIRING);
  const file = { registries: [{ type: "dir", path: "shelf" }], bundles: [{ name: "@acme/up" }] };
  const first = await runBundles(dir, file);
  await untilRunning(first.provider("up"));
  const started = first.events.find(({ type }) => type === "bundle.started");
  expect(started?.data).toMatchObject({ version: "1.0.0", digest: expect.stringMatching(/^sha256:/) as string });
  await first.bundles.stop();

  put("2.0.0", {});
  const second = await runBundles(dir, { ...file, hostResources: { enabled: false } });
  await until(() => second.provider("up").status().state === "refused");
  expect(second.provider("up").status()).toMatchObject({
    reason: expect.stringContaining("requires the host extension ai.nimblebrain/host-resources") as string,
    version: "1.0.0",
  });
  expect(readdirSync(join(dir, "bundles", "@acme", "up")).filter((each) => each.startsWith("2.0.0"))).toEqual([]);
});

test("a slow download is not the bundle's fault: its start is timed from then on, and people see what goes on", async () => {
  const dir = makeWorkDir();
  const path = makeBundle(dir, "b", fixtureManifest("slow"));
  const timing = { ...PROCESS_TIMING, startTimeoutMs: 4_000 };
  const locate: Locate = async (_entry, { onProgress, signal }) => {
    onProgress?.({ message: "downloading slow 1.0.0", bytes: 25, total: 100 });
    await sleep(timing.startTimeoutMs + 500, null, { signal });
    return locatedAt(path);
  };
  const { provider, bundles } = await runBundles(dir, { bundles: [{ name: "@acme/slow" }] }, { locate, timing });
  await until(() => provider("slow").status().reason !== "slow is starting.");
  expect(provider("slow").status()).toMatchObject({
    state: "starting",
    reason: "slow is fetching its package: downloading slow 1.0.0, 25 %.",
    next: "Wait; it starts by itself.",
  });
  await untilRunning(provider("slow"));
  expect(bundles.statusOf("slow")).toMatchObject({ restartsInWindow: 0, lastError: null });
}, 60_000);

test("one that does not come up in its own time is late all the same", async () => {
  const dir = makeWorkDir();
  const manifest = fixtureManifest("mute");
  const server = { type: "node", entry_point: "x", mcp_config: { command: "sleep", args: ["60"] } };
  const path = makeBundle(dir, "b", { ...manifest, server });
  const locate: Locate = () => Promise.resolve(locatedAt(path));
  const timing = { ...PROCESS_TIMING, startTimeoutMs: 200 };
  const { provider } = await runBundles(dir, { bundles: [{ name: "@acme/mute" }] }, { locate, timing });
  await until(() => provider("mute").status().lastError !== null);
  expect(provider("mute").status().lastError).toContain("it was not ready 0.2 s after its start");
});

test("a stop ends a download", async () => {
  const dir = makeWorkDir();
  const asked: LocateOrder[] = [];
  const locate: Locate = (_entry, order) => {
    asked.push(order);
    return sleep(600_000, locatedAt(dir), { signal: order.signal });
  };
  const { bundles } = await runBundles(dir, { bundles: [{ name: "@acme/slow" }] }, { locate });
  await until(() => asked.length > 0);
  await bundles.stopOne("slow");
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(bundles.statusOf("slow")).toMatchObject({ state: "stopped", restartsInWindow: 0 });
});

test("an archive has its name before it is unpacked, so that nobody waits for it", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "big.mcpb"), archiveOf(fixtureManifest("@acme/large")));
  const fast = makeBundle(dir, "fast", fixtureManifest("fast"));
  const locate: Locate = (entry, { signal }) =>
    entry.kind === "path" && entry.path === "fast"
      ? Promise.resolve(locatedAt(fast))
      : sleep(600_000, locatedAt(dir), { signal });
  const { provider, providers } = await runBundles(
    dir,
    { bundles: [{ path: "big.mcpb" }, { path: "fast" }] },
    { locate },
  );
  await untilRunning(provider("fast"));
  expect([...providers.keys()].toSorted()).toEqual(["fast", "large"]);
  expect(provider("large").status().state).toBe("starting");
});
