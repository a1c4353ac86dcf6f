import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  untilRunning,
} from "./bundles-for-tests.ts";
import { openStoppedByPerson } from "./stopped-by-person.ts";

const fail = (error: unknown): void => {
  throw error;
};

describe("a bundle that a person stopped", () => {
  test("is still stopped after a boot, and no more once a person started it", async () => {
    const file = join(makeWorkDir(), "workspaces/ws_default/stopped.json");
    const first = openStoppedByPerson(file, fail);
    expect(first.has("echo")).toBe(false);
    await Promise.all([first.mark("echo"), first.mark("other"), first.mark("echo")]);
    expect(first.has("echo")).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = openStoppedByPerson(file, fail);
    expect([second.has("echo"), second.has("other"), second.has("third")]).toEqual([true, true, false]);
    await second.clear("echo");
    await second.clear("never");
    const third = openStoppedByPerson(file, fail);
    expect([third.has("echo"), third.has("other")]).toEqual([false, true]);
  });

  test("is not held back by a file that cannot be read, and somebody hears of that", () => {
    const file = join(makeWorkDir(), "stopped.json");
    for (const text of ["{broken", '{"echo":true}', "[1]"]) {
      writeFileSync(file, text);
      const bugs: unknown[] = [];
      expect(openStoppedByPerson(file, (bug) => bugs.push(bug)).has("echo")).toBe(false);
      expect(String(bugs[0])).toContain(file);
    }
  });

  test("is remembered by this host even where it cannot be written down", async () => {
    const dir = makeWorkDir();
    mkdirSync(join(dir, "stopped.json.new"));
    const bugs: unknown[] = [];
    const stopped = openStoppedByPerson(join(dir, "stopped.json"), (bug) => bugs.push(bug));
    await stopped.mark("echo");
    expect(stopped.has("echo")).toBe(true);
    expect(bugs).toHaveLength(1);
    expect(() => readFileSync(join(dir, "stopped.json"))).toThrow("ENOENT");
  });

  test("is written down by whatever comes next when it could not be at once", async () => {
    const dir = makeWorkDir();
    const [file, inTheWay] = [join(dir, "stopped.json"), join(dir, "stopped.json.new")];
    mkdirSync(inTheWay);
    const stopped = openStoppedByPerson(file, () => {});
    await stopped.mark("echo");
    rmdirSync(inTheWay);
    await stopped.mark("echo");
    expect(openStoppedByPerson(file, fail).has("echo")).toBe(true);
    mkdirSync(inTheWay);
    await stopped.clear("echo");
    rmdirSync(inTheWay);
    await stopped.clear("another");
    expect(openStoppedByPerson(file, fail).has("echo")).toBe(false);
  });
});

describe("a running bundle that a person stops", () => {
  const place = (): { dir: string; pids: string; file: object } => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: pids }));
    return { dir, pids, file: { bundles: [{ path: "b" }] } };
  };

  test("is not started by the next boot, which says why, but by a person, and from then on by every boot", async () => {
    const { dir, pids, file } = place();
    const first = await runBundles(dir, { ...file });
    await untilRunning(first.provider("fixture"));
    await first.bundles.stopOne("fixture");
    await first.bundles.stop();
    const second = await runBundles(dir, { ...file });
    expect(second.provider("fixture").status()).toMatchObject({
      state: "stopped",
      reason: "fixture is stopped: somebody stopped it",
      next: "Run: bailiwick bundle start fixture",
    });
    expect(readLines(pids)).toHaveLength(1);
    await second.bundles.startOne("fixture");
    await untilRunning(second.provider("fixture"));
    await second.bundles.stop();
    const third = await runBundles(dir, { ...file });
    await untilRunning(third.provider("fixture"));
  });

  test("is forgotten with the bundle when that is removed, so that the next one of its name starts", async () => {
    const { dir, file } = place();
    const first = await runBundles(dir, { ...file });
    await untilRunning(first.provider("fixture"));
    await first.bundles.stopOne("fixture");
    await first.bundles.remove("fixture", () => Promise.resolve());
    expect(JSON.parse(readFileSync(join(dir, "stopped.json"), "utf8"))).toEqual([]);
    await first.bundles.stop();
    const second = await runBundles(dir, { ...file });
    await untilRunning(second.provider("fixture"));
  });

  test("is not started once more by a host that is stopping", async () => {
    const { dir, pids, file } = place();
    const { provider, bundles } = await runBundles(dir, { ...file });
    await untilRunning(provider("fixture"));
    await bundles.stopOne("fixture");
    const starting = bundles.startOne("fixture").catch(() => null);
    await bundles.stop();
    await starting;
    expect(provider("fixture").status().state).toBe("stopped");
    expect(readLines(pids).filter(isAlive)).toEqual([]);
  });
});
