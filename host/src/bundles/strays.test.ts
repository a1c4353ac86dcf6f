import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  FIXTURES,
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  until,
  untilRunning,
} from "./bundles-for-tests.ts";
import { createKeeper } from "./keeper.ts";
import { bornOf, type Spawned } from "./process-table.ts";
import { Survivors } from "./survivors.ts";

/** Each a daemon without parent, group, variables, descriptors or a place of the bundle's; two of three deaf to SIGTERM. */
const DAEMONS = 48;
const STARTERS = { FIXTURE_DAEMONS: String(DAEMONS / 3) };

const pidsIn = (dir: string): string[] => readLines(join(dir, "pids"));
const aliveIn = (dir: string): string[] => pidsIn(dir).filter(isAlive);

const makeDir = (): string => {
  const dir = makeWorkDir();
  onTestFinished(() => {
    for (const pid of aliveIn(dir)) process.kill(Number(pid), "SIGKILL");
  });
  return dir;
};

/** Runs a bundle until all its daemons are there and alone. */
const runWithDaemons = async (): Promise<{ dir: string } & Awaited<ReturnType<typeof runBundles>>> => {
  const dir = makeDir();
  makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: join(dir, "pids"), ...STARTERS }));
  const running = await runBundles(dir, { bundles: [{ path: "b" }] });
  await untilRunning(running.provider("fixture"));
  await until(() => pidsIn(dir).length === DAEMONS + 1);
  expect(aliveIn(dir)).toHaveLength(DAEMONS + 1);
  return { dir, ...running };
};

/** A process of the same user with nothing but looks in common. */
const bystander = (cwd: string): number => {
  const env = { BAILIWICK_SPAWN: randomBytes(16).toString("hex"), BAILIWICK_BUNDLE_DATA: cwd };
  const child = spawn("/bin/sh", ["-c", "exec sleep 1000"], { cwd, env, detached: true, stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child.pid ?? 0;
};

// Without prlimit nothing can be branded.
describe.runIf(existsSync("/usr/bin/prlimit"))(
  "daemons that gave up all that ties them to their bundle are gone",
  () => {
    test("when the bundle is stopped, and what merely works in its data directory is not", async () => {
      const { dir, bundles } = await runWithDaemons();
      const other = bystander(join(dir, "workspaces", "ws_default", "data", "fixture"));
      await bundles.stopOne("fixture");
      expect(aliveIn(dir)).toEqual([]);
      expect(isAlive(other)).toBe(true);
    });

    test("when the bundle crashes, before it is started anew", async () => {
      const { dir } = await runWithDaemons();
      const first = pidsIn(dir);
      process.kill(Number(first[0]), "SIGKILL");
      await until(() => pidsIn(dir).length > first.length);
      expect(first.filter(isAlive)).toEqual([]);
    });

    test("when the host stops", async () => {
      const { dir, bundles } = await runWithDaemons();
      await bundles.stop();
      expect(aliveIn(dir)).toEqual([]);
    });

    test.each([
      { servers: 1, env: STARTERS },
      { servers: 8, env: { FIXTURE_DAEMONS: "2", FIXTURE_IGNORE_END: "1", FIXTURE_IGNORE_TERM: "1" } },
    ])("when the host of $servers is killed, and what merely works in the same place is not", async (order) => {
      const dir = makeDir();
      const host = startHost(dir, order.servers, order.env);
      await until(() => pidsIn(dir).length === DAEMONS + order.servers);
      expect(aliveIn(dir)).toHaveLength(DAEMONS + order.servers);
      const other = bystander(join(dir, "data"));
      host.kill("SIGKILL");
      await until(() => aliveIn(dir).length === 0);
      expect(isAlive(other)).toBe(true);
    });
  },
);

const startHost = (dir: string, servers: number, env: Record<string, string>): ChildProcess => {
  const args = [join(FIXTURES, "bundle-host.mjs"), dir, join(dir, "pids"), String(servers)];
  const host = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  onTestFinished(() => {
    host.kill("SIGKILL");
  });
  return host;
};

describe("where there is no brand", () => {
  const TIED = { FIXTURE_GRANDCHILDREN: "1", FIXTURE_STRAY: "1", FIXTURE_IGNORE_TERM: "1", FIXTURE_IGNORE_END: "1" };

  const startUnbranded = async (dir: string): Promise<Spawned> => {
    const marker = randomBytes(16).toString("hex");
    const child = spawn(process.execPath, [join(FIXTURES, "bundle-server.mjs")], {
      env: { BAILIWICK_SPAWN: marker, FIXTURE_PIDS: join(dir, "pids"), ...TIED },
      detached: true,
      stdio: ["pipe", "ignore", "inherit"],
    });
    await until(() => pidsIn(dir).length === 4);
    const pgid = child.pid ?? 0;
    return { marker, pgid, born: bornOf(pgid) };
  };

  test("what is in the group, carries the variable or has a parent is found, and known when the parent is gone", async () => {
    const dir = makeDir();
    const spawned = await startUnbranded(dir);
    const survivors = new Survivors(spawned);
    expect((await survivors.find()).map(String).toSorted()).toEqual(pidsIn(dir).toSorted());
    process.kill(spawned.pgid, "SIGKILL");
    await until(() => !isAlive(spawned.pgid));
    expect((await survivors.find()).map(String).toSorted()).toEqual(aliveIn(dir).toSorted());
    expect(aliveIn(dir)).toHaveLength(3);
  });

  test("the keeper ends all of these", async () => {
    const dir = makeDir();
    const file = join(dir, "run", "children");
    const keeper = createKeeper({ file, path: process.env["PATH"] ?? "", warn: () => {} });
    keeper.watch(await startUnbranded(dir));
    expect(aliveIn(dir)).toHaveLength(4);
    await keeper.close();
    await until(() => aliveIn(dir).length === 0);
  });
});
