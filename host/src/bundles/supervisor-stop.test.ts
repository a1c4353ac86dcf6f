import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  until,
  untilRunning,
} from "./bundles-for-tests.ts";

const NEVER = new AbortController().signal;

describe("stopping and starting", () => {
  test("a stopped bundle keeps its tools, refuses, and starts again when asked", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: pids }));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    const fixture = provider("fixture");
    await untilRunning(fixture);
    await bundles.stopOne("fixture");
    expect(readLines(pids).filter(isAlive)).toEqual([]);
    expect(fixture.status()).toMatchObject({ state: "stopped", next: "Run: bailiwick bundle start fixture" });
    expect(await fixture.whenReady(60_000, NEVER)).toBe(false);
    expect(fixture.catalogue().tools.length).toBeGreaterThan(0);
    await bundles.startOne("fixture");
    await untilRunning(fixture);
    await bundles.restartOne("fixture");
    await untilRunning(fixture);
    expect(readLines(pids)).toHaveLength(3);
    expect(readLines(pids).filter(isAlive)).toHaveLength(1);
    await expect(bundles.startOne("fixtur")).rejects.toMatchObject({ next: 'Did you mean "fixture"?' });
  });

  test("a stop or the end of the host in the middle of a restart has the last word", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: pids }));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    await untilRunning(provider("fixture"));
    await Promise.all([bundles.restartOne("fixture"), bundles.stopOne("fixture")]);
    expect(provider("fixture").status().state).toBe("stopped");
    await bundles.startOne("fixture");
    await untilRunning(provider("fixture"));
    await Promise.allSettled([bundles.restartOne("fixture"), bundles.stop()]);
    expect(provider("fixture").status().state).toBe("stopped");
    await expect(bundles.startOne("fixture")).rejects.toThrow("The host is stopping.");
    expect(readLines(pids)).toHaveLength(2);
    expect(readLines(pids).filter(isAlive)).toEqual([]);
  });

  test("stopping while it starts leaves no process", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: pids, FIXTURE_HANG_AT_START: "1" }));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    await until(() => readLines(pids).length > 0);
    const waiting = provider("fixture").whenReady(60_000, NEVER);
    await bundles.stopOne("fixture");
    expect(await waiting).toBe(false);
    expect(provider("fixture").status().state).toBe("stopped");
    expect(readLines(pids).filter(isAlive)).toEqual([]);
  });

  test("after a boot the tools are known before any process runs, and a file of another source is not used", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture"));
    makeBundle(dir, "c", fixtureManifest("fixture", { FIXTURE_HANG_AT_START: "1" }));
    const first = await runBundles(dir, { bundles: [{ path: "b" }] });
    await untilRunning(first.provider("fixture"));
    await first.bundles.stop();
    const names = first
      .provider("fixture")
      .catalogue()
      .tools.map((tool) => [tool.name, tool.definition, tool.json]);
    const second = await runBundles(dir, { bundles: [{ path: "b", enabled: false }] });
    expect(second.provider("fixture").status().state).toBe("stopped");
    expect(
      second
        .provider("fixture")
        .catalogue()
        .tools.map((tool) => [tool.name, tool.definition, tool.json]),
    ).toEqual(names);
    const third = await runBundles(dir, { bundles: [{ path: "c" }] });
    expect(third.provider("fixture").catalogue().tools).toEqual([]);
    writeFileSync(join(dir, "workspaces/ws_default/definitions/fixture.json"), "{broken");
    const fourth = await runBundles(dir, { bundles: [{ path: "b", enabled: false }] });
    expect(fourth.provider("fixture").catalogue().tools).toEqual([]);
  });
});
