import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, describe, expect, test } from "vitest";
import { FIXTURES, isAlive, makeWorkDir, readLines, until } from "./bundles-for-tests.ts";
import { reapChildren, writeChildren } from "./children-file.ts";
import { createKeeper, type Keeper } from "./keeper.ts";
import { OutputTail } from "./output-tail.ts";
import { bornOf } from "./process-table.ts";
import { Redaction } from "./redaction.ts";
import { spawnServer, type RunningServer } from "./spawn-server.ts";

const STUBBORN = { FIXTURE_GRANDCHILDREN: "1", FIXTURE_IGNORE_TERM: "1", FIXTURE_IGNORE_END: "1" };

/** Children of this very process that are the keeper. */
const keepersOf = (parent: number): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const ppid = stat.slice(stat.lastIndexOf(") ") + 2).split(" ")[1];
        return Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("BAILIWICK_SPAWN");
      } catch {
        return false;
      }
    });

const startServer = (dir: string, keeper: Keeper, env: Record<string, string>): Promise<RunningServer> => {
  const marker = randomBytes(16).toString("hex");
  return spawnServer({
    command: process.execPath,
    args: [join(FIXTURES, "bundle-server.mjs")],
    env: { PATH: process.env["PATH"] ?? "", BAILIWICK_SPAWN: marker, FIXTURE_PIDS: join(dir, "pids"), ...env },
    settings: null,
    marker,
    dataDir: join(dir, "data"),
    keeper,
    tail: new OutputTail(new Redaction()),
  });
};

const openKeeper = (dir: string): Keeper => {
  const keeper = createKeeper({ file: join(dir, "run", "children"), path: process.env["PATH"] ?? "", warn: () => {} });
  onTestFinished(() => keeper.close());
  return keeper;
};

const startHost = (dir: string, count: number, env: Record<string, string> = STUBBORN): ChildProcess => {
  const script = join(FIXTURES, "bundle-host.mjs");
  const host = spawn(process.execPath, [script, dir, join(dir, "pids"), String(count)], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => {
    host.kill("SIGKILL");
    endAll(dir);
  });
  return host;
};

const pidsIn = (dir: string): string[] => readLines(join(dir, "pids"));

/** A test that failed halfway may have taken away everything else that would end them. */
const endAll = (dir: string): void => {
  for (const pid of pidsIn(dir).filter(isAlive)) process.kill(Number(pid), "SIGKILL");
};

describe("when the host is killed", () => {
  test("no process is left: not those deaf to SIGTERM, not those that left for a session of their own", async () => {
    const dir = makeWorkDir();
    const host = startHost(dir, 3);
    await until(() => pidsIn(dir).length === 9);
    expect(pidsIn(dir).filter(isAlive)).toHaveLength(9);
    host.kill("SIGKILL");
    await until(() => pidsIn(dir).every((pid) => !isAlive(pid)));
  });

  test("what left its group and its variables goes with those that started it", async () => {
    const dir = makeWorkDir();
    const host = startHost(dir, 2, { ...STUBBORN, FIXTURE_STRAY: "1" });
    await until(() => pidsIn(dir).length === 8);
    expect(pidsIn(dir).filter(isAlive)).toHaveLength(8);
    host.kill("SIGKILL");
    await until(() => pidsIn(dir).every((pid) => !isAlive(pid)));
  });

  test("and its keeper with it, the next boot ends what is left", async () => {
    const dir = makeWorkDir();
    const host = startHost(dir, 2);
    await until(() => pidsIn(dir).length === 6);
    await until(() => readLines(join(dir, "run", "children")).length === 3);
    const keepers = keepersOf(host.pid ?? 0);
    expect(keepers).toHaveLength(1);
    host.kill("SIGSTOP");
    for (const pid of keepers) process.kill(pid, "SIGKILL");
    host.kill("SIGKILL");
    await until(() => !isAlive(host.pid ?? 0));
    expect(pidsIn(dir).filter(isAlive)).toHaveLength(6);
    expect(await reapChildren(join(dir, "run", "children"))).toBe(2);
    expect(pidsIn(dir).filter(isAlive)).toEqual([]);
    expect(await reapChildren(join(dir, "run", "children"))).toBe(0);
  });
});

describe("the list for the next boot", () => {
  const bystander = (): number => {
    const child = spawn(process.execPath, ["-e", "setInterval(()=>{},1e4)"], { detached: true, stdio: "ignore" });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child.pid ?? 0;
  };
  /** As a host that is gone would have left it. */
  const writeAsGone = (file: string, line: string): void => {
    writeChildren(file, []);
    const [header = ""] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${header.replace(/^host \d+ \d+/, "host 1 1")}\n${line}\n`);
  };

  test("a process that has the number of an old one is left alone", async () => {
    const file = join(makeWorkDir(), "run", "children");
    const pid = bystander();
    const marker = randomBytes(16).toString("hex");
    writeAsGone(file, `${pid} ${Number(bornOf(pid)) - 1} ${marker}`);
    await reapChildren(file);
    expect(isAlive(pid)).toBe(true);
    writeAsGone(file, `${pid} ${bornOf(pid)} ${marker}`);
    await reapChildren(file);
    expect(isAlive(pid)).toBe(false);
  });

  test("nothing is ended for a host that still runs, after a reboot of the machine, or from a file that is no list", async () => {
    const file = join(makeWorkDir(), "run", "children");
    const pid = bystander();
    const line = `${pid} ${bornOf(pid)} ${randomBytes(16).toString("hex")}`;
    const other = bystander();
    writeAsGone(file, line);
    writeFileSync(file, readFileSync(file, "utf8").replace("host 1 1", `host ${other} ${bornOf(other)}`));
    expect(await reapChildren(file)).toBe(0);
    writeAsGone(file, line);
    writeFileSync(file, readFileSync(file, "utf8").replace(/^host 1 1 .*/, "host 1 1 another-boot"));
    expect(await reapChildren(file)).toBe(0);
    writeFileSync(file, `\0\n${line}\nhost`);
    expect(await reapChildren(file)).toBe(0);
    expect(isAlive(pid)).toBe(true);
  });
});

describe("when a server is stopped", () => {
  test("by a host that lives, its grandchildren go too, also those that left the group", async () => {
    const dir = makeWorkDir();
    const keeper = openKeeper(dir);
    const server = await startServer(dir, keeper, STUBBORN);
    await until(() => pidsIn(dir).length === 3);
    await server.stop();
    expect(pidsIn(dir).filter(isAlive)).toEqual([]);
    expect(await server.exited).toBe("was killed by SIGKILL");
    expect(readLines(join(dir, "run", "children"))).toHaveLength(1);
  });

  test.each([{}, STUBBORN])("what left its group and its variables goes too, told %j", async (env) => {
    const dir = makeWorkDir();
    const server = await startServer(dir, openKeeper(dir), { FIXTURE_STRAY: "1", ...env });
    onTestFinished(() => endAll(dir));
    await until(() => pidsIn(dir).length === (env === STUBBORN ? 4 : 2));
    await server.stop();
    expect(pidsIn(dir).filter(isAlive)).toEqual([]);
  });

  test("because it does not answer, what it started goes too", async () => {
    const dir = makeWorkDir();
    const server = await startServer(dir, openKeeper(dir), { FIXTURE_STRAY: "1" });
    onTestFinished(() => endAll(dir));
    await until(() => pidsIn(dir).length === 2);
    await server.kill();
    expect(pidsIn(dir).filter(isAlive)).toEqual([]);
  });

  test("it may end by itself when its input closes", async () => {
    const dir = makeWorkDir();
    const server = await startServer(dir, openKeeper(dir), {});
    await until(() => pidsIn(dir).length === 1);
    await server.stop();
    expect(await server.exited).toBe("exited with code 0");
  });

  test("by a crash, its grandchildren are ended at once", async () => {
    const dir = makeWorkDir();
    const server = await startServer(dir, openKeeper(dir), STUBBORN);
    await until(() => pidsIn(dir).length === 3);
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    await server.kill();
    expect(pidsIn(dir).filter(isAlive)).toEqual([]);
  });
});

test("a keeper that is killed is replaced, and the new one knows the list", async () => {
  const dir = makeWorkDir();
  const keeper = openKeeper(dir);
  await startServer(dir, keeper, STUBBORN);
  await until(() => pidsIn(dir).length === 3);
  const [first = 0] = keepersOf(process.pid);
  process.kill(first, "SIGKILL");
  await until(() => keepersOf(process.pid).some((pid) => pid !== first));
  expect(pidsIn(dir).filter(isAlive)).toHaveLength(3);
  await keeper.close();
  await until(() => pidsIn(dir).every((pid) => !isAlive(pid)));
});

test("a program that cannot be started is told apart from one that ends, and leaves nothing on the list", async () => {
  const dir = makeWorkDir();
  const keeper = openKeeper(dir);
  const common = {
    args: [],
    env: {},
    settings: null,
    marker: "ab".repeat(16),
    dataDir: join(dir, "data"),
    keeper,
    tail: new OutputTail(new Redaction()),
  };
  await expect(spawnServer({ ...common, command: "/no/such" })).rejects.toThrow("the program /no/such was not found");
  await expect(spawnServer({ ...common, command: dir })).rejects.toThrow("may not be run");
  await expect(spawnServer({ ...common, command: "/bin/true", env: { A: "\0" } })).rejects.toThrow(
    "could not be started",
  );
  expect(readLines(join(dir, "run", "children"))).toHaveLength(1);
});
