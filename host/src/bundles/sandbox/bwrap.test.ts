import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Provider } from "../../kernel/provider.ts";
import { FIXTURES, makeWorkDir, runBundles, until, untilRunning, type TestBundles } from "../bundles-for-tests.ts";
import { Survivors } from "../survivors.ts";
import { attempt, factsOf, makeTrier, unconfinable, unlessUnconfinable } from "./confined-for-tests.ts";

const BWRAP = { profile: "bwrap", require: true };

interface Confined extends TestBundles {
  readonly dir: string;
  readonly home: string;
  readonly trier: Provider;
  readonly data: string;
}

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

/** A length of sleep that nobody else has, and how many sleep so long. */
const sleepers = (): { readonly seconds: string; readonly running: () => number } => {
  const seconds = String(100_000_000 + Math.floor(Math.random() * 100_000_000));
  const running = (): number => readdirSync("/proc").filter((pid) => commandOf(pid) === `sleep\0${seconds}\0`).length;
  return { seconds, running };
};

/** A home with a secret in it, the work directory inside, and one confined bundle outside of both. */
const confine = async (sandbox: object = {}, env: Readonly<Record<string, string>> = {}): Promise<Confined> => {
  const dir = makeWorkDir();
  const home = join(dir, "home");
  const workDir = join(home, "work");
  mkdirSync(join(workDir, "workspaces/ws_default/data/other"), { recursive: true });
  writeFileSync(join(home, "secret"), "of the home");
  writeFileSync(join(workDir, "secret"), "of the host");
  writeFileSync(join(workDir, "workspaces/ws_default/data/other/secret"), "of another bundle");
  makeTrier(dir, "trier", env);
  const run = await runBundles(
    dir,
    { bundles: [{ path: "trier", sandbox: { ...BWRAP, ...sandbox } }] },
    { workDir, env: { ...process.env, HOME: home } },
  );
  const trier = run.provider("trier");
  await untilRunning(trier);
  return { ...run, dir, home, trier, data: join(workDir, "workspaces/ws_default/data/trier") };
};

describe.skipIf(unconfinable !== null)(`a process in the sandbox bwrap${unlessUnconfinable}`, () => {
  test("reads neither the home, nor the work directory, nor another bundle's data", async () => {
    const { trier, home, dir } = await confine();
    for (const path of ["secret", "work/secret", "work/workspaces/ws_default/data/other/secret"]) {
      expect(await attempt(trier, { step: "read", path: join(home, path) })).toBe("no: ENOENT");
    }
    expect(await attempt(trier, { step: "list", path: home })).toBe("work");
    expect(await attempt(trier, { step: "list", path: join(home, "work/workspaces/ws_default/data") })).toBe("trier");
    expect(await attempt(trier, { step: "list", path: dir })).toBe("home trier");
    expect(await attempt(trier, { step: "read", path: "/etc/shadow" })).toBe("no: ENOENT");
  });

  test("writes into its data directory and its own /tmp, and nowhere else", async () => {
    const { trier, data, dir, home } = await confine();
    expect(await attempt(trier, { step: "write", path: join(data, "note") })).toBe("written");
    expect(readFileSync(join(data, "note"), "utf8")).toBe("written by the bundle");
    expect(await attempt(trier, { step: "write", path: "/tmp/note-of-a-confined-bundle" })).toBe("written");
    expect(existsSync("/tmp/note-of-a-confined-bundle")).toBe(false);
    for (const path of [join(dir, "trier/note"), "/note", "/usr/note", "/etc/note", "/etc/passwd"]) {
      expect(await attempt(trier, { step: "write", path })).toMatch(/^no: E(ROFS|ACCES|NOENT)$/);
    }
    // What it writes there is in its own memory, since all of this lies in /tmp here.
    await attempt(trier, { step: "write", path: join(home, "note") });
    expect(existsSync(join(home, "note"))).toBe(false);
  });

  test("has its data directory for a home and still knows who it is", async () => {
    const { trier, data } = await confine();
    const { env, cwd } = await factsOf(trier);
    expect([env["HOME"], env["BAILIWICK_BUNDLE_DATA"], cwd]).toEqual([data, data, data]);
    expect(await attempt(trier, { step: "user" })).not.toContain("no:");
    expect(await attempt(trier, { step: "run", command: "echo it works" })).toBe("it works\n");
  });

  test("sees no process but its own", async () => {
    const { trier } = await confine();
    const seen = await attempt(trier, { step: "run", command: "cat /proc/[0-9]*/environ | tr '\\0' '\\n'" });
    expect(seen).toContain("BAILIWICK_BUNDLE_DATA=");
    expect((await attempt(trier, { step: "list", path: "/proc" })).match(/\b\d+\b/g)?.length).toBeLessThan(5);
  });

  test("reads and writes what its entry names besides", async () => {
    const dir = makeWorkDir();
    mkdirSync(join(dir, "shared"));
    mkdirSync(join(dir, "out"));
    writeFileSync(join(dir, "shared/list"), "for all");
    symlinkSync(join(dir, "out"), join(dir, "out-link"));
    makeTrier(dir, "trier");
    const sandbox = { ...BWRAP, read: ["shared"], write: ["out-link"] };
    const { provider } = await runBundles(
      dir,
      { bundles: [{ path: "trier", sandbox }] },
      { workDir: join(dir, "work") },
    );
    await untilRunning(provider("trier"));
    const trier = provider("trier");
    expect(await attempt(trier, { step: "read", path: join(dir, "shared/list") })).toBe("for all");
    expect(await attempt(trier, { step: "write", path: join(dir, "shared/list") })).toBe("no: EROFS");
    expect(await attempt(trier, { step: "write", path: join(dir, "out/note") })).toBe("written");
    expect(existsSync(join(dir, "out/note"))).toBe(true);
  });

  test("is not shown the work directory by what lies around it, be it the package or a path of the entry", async () => {
    const dir = makeWorkDir();
    const pack = makeTrier(dir, "trier");
    const workDir = join(pack, "work");
    mkdirSync(workDir);
    writeFileSync(join(workDir, "secret"), "of the host");
    const sandbox = { ...BWRAP, read: ["/"] };
    const { provider } = await runBundles(dir, { bundles: [{ path: "trier", sandbox }] }, { workDir });
    await untilRunning(provider("trier"));
    expect(await attempt(provider("trier"), { step: "list", path: workDir })).toBe("workspaces");
    expect(await attempt(provider("trier"), { step: "list", path: pack })).toContain("manifest.json");
    const { pid } = await factsOf(provider("trier"));
    expect(pid).toBeLessThan(10);
  });

  test.each([
    ["work", /lies where the host/],
    ["work-link", /lies where the host/],
    ["/proc/1", /lies where the host/],
    ["absent", /does not exist/],
  ])("is refused when its entry names %s", async (path, reason) => {
    const dir = makeWorkDir();
    mkdirSync(join(dir, "work"));
    symlinkSync(join(dir, "work"), join(dir, "work-link"));
    makeTrier(dir, "trier", { FIXTURE_PIDS: join(dir, "pids") });
    const sandbox = { ...BWRAP, read: [path] };
    const { provider } = await runBundles(
      dir,
      { bundles: [{ path: "trier", sandbox }] },
      { workDir: join(dir, "work") },
    );
    await until(() => provider("trier").status().state === "refused");
    expect(provider("trier").status()).toMatchObject({
      reason: expect.stringMatching(reason),
      next: expect.stringContaining("sandbox.read"),
    });
    expect(existsSync(join(dir, "pids"))).toBe(false);
  });

  test("reaches the network of the host, or none, as its entry says", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await until(() => server.listening);
    const { port } = server.address() as AddressInfo;
    const open = await confine();
    expect(await attempt(open.trier, { step: "dial", port })).toBe("connected");
    const shut = await confine({ network: "none" });
    expect(await attempt(shut.trier, { step: "dial", port })).toBe("no: ECONNREFUSED");
    expect(await attempt(shut.trier, { step: "read", path: "/proc/net/route" })).not.toMatch(/\n\w/);
  });

  test("cannot get out by what its manifest says of variables", async () => {
    const { trier } = await confine({}, { LD_PRELOAD: "/nowhere/evil.so", BASH_ENV: `/dev/null`, MARK: "a=b c" });
    const { env } = await factsOf(trier);
    expect([env["LD_PRELOAD"], env["MARK"]]).toEqual(["/nowhere/evil.so", "a=b c"]);
    const [wrapper] = await new Survivors({ marker: env["BAILIWICK_SPAWN"] ?? "", pgid: 0, born: "" }).find();
    const given = readFileSync(`/proc/${wrapper}/environ`, "utf8").split("\0").filter(Boolean);
    expect(given).toEqual([`BAILIWICK_SPAWN=${env["BAILIWICK_SPAWN"]}`]);
    expect(readFileSync(`/proc/${wrapper}/cmdline`, "utf8")).not.toContain("a=b c");
  });

  test("is refused a value that would be read as one of the sandbox's own settings", async () => {
    const dir = makeWorkDir();
    makeTrier(dir, "trier", { X: "x\0--bind\0/\0/" });
    const { provider } = await runBundles(dir, { bundles: [{ path: "trier", sandbox: BWRAP }] });
    await until(() => provider("trier").status().state === "refused");
    expect(provider("trier").status().reason).toContain("NUL");
  });

  test("is given the time to end by itself, and a stop leaves nothing of it", async () => {
    const words = join(makeWorkDir(), "words");
    writeFileSync(words, "");
    chmodSync(words, 0o600);
    const { trier, bundles } = await confine({ write: [words] }, { FIXTURE_LAST_WORDS: words });
    const { seconds, running } = sleepers();
    const quiet = `sleep ${seconds} >/dev/null 2>&1 &`;
    await attempt(trier, { step: "run", command: `setsid ${quiet} env -i setsid ${quiet}` });
    await until(() => running() === 2);
    const { env } = await factsOf(trier);
    const survivors = new Survivors({ marker: env["BAILIWICK_SPAWN"] ?? "", pgid: 0, born: "" });
    expect((await survivors.find()).length).toBeGreaterThanOrEqual(4);
    await bundles.stopOne("trier");
    expect(await survivors.find()).toEqual([]);
    expect(running()).toBe(0);
    expect(readFileSync(words, "utf8")).toBe("ended by itself");
  });

  test("leaves nothing when it crashes, not even what left its session, its variables and its parents", async () => {
    const { trier, bundles } = await confine();
    const { seconds, running } = sleepers();
    const quiet = `sleep ${seconds} >/dev/null 2>&1 &`;
    await attempt(trier, { step: "run", command: `env -i setsid ${quiet}` });
    await until(() => running() === 1);
    const crash = attempt(trier, { step: "run", command: "kill -9 $PPID" }).catch((error: unknown) => error);
    expect(await crash).toMatchObject({ kind: "indeterminate" });
    await until(() => running() === 0);
    await bundles.stopOne("trier");
    expect(running()).toBe(0);
  });

  test("ends with a host that is killed, also what left its session and its variables", async () => {
    const { seconds, running } = sleepers();
    const command = `env -i setsid sleep ${seconds} & sleep ${seconds}`;
    const host = spawn(process.execPath, [join(FIXTURES, "confined-host.mjs"), makeWorkDir(), command]);
    onTestFinished(() => void host.kill("SIGKILL"));
    await until(() => running() === 2);
    host.kill("SIGKILL");
    await until(() => running() === 0);
    expect(running()).toBe(0);
  });

  test("says in what is known of it that it is confined", async () => {
    const { bundles } = await confine();
    expect(bundles.find("trier").bundle.facts()).toMatchObject({ sandbox: "bwrap", warnings: [] });
  });
});
