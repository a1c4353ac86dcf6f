import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import {
  fixtureManifest,
  isAlive,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  textOf,
  toolCall,
  until,
  untilRunning,
} from "./bundles-for-tests.ts";

const NEVER = new AbortController().signal;

describe("a bundle that runs", () => {
  test("lists its tools and answers", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("@acme/Fix_Ture"));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    const fixture = provider("fix-ture");
    expect(await fixture.whenReady(20_000, NEVER)).toBe(true);
    expect(fixture.catalogue().tools.map((tool) => tool.name)).toContain("echo");
    expect(textOf(await fixture.send(toolCall("echo")))).toBe('{"a":1}');
    expect(fixture.status()).toMatchObject({ state: "running", reason: null, version: "1.2.3" });
    expect(bundles.status()).toMatchObject([{ name: "fix-ture", health: "ok", state: "running" }]);
  });

  test("sees its data directory as working directory and nothing of the host's own variables", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture", { FROM_MANIFEST: "m" }));
    const env = { ...process.env, BAILIWICK_KEY: "no", NB_API_KEY: "no", ANTHROPIC_API_KEY: "no", LET_IN: "yes" };
    const entry = { path: "b", env: { OWN: "o" }, allowedEnv: ["LET_IN", "NB_API_KEY"] };
    const { provider } = await runBundles(dir, { bundles: [entry] }, { env });
    await untilRunning(provider("fixture"));
    const seen = JSON.parse(textOf(await provider("fixture").send(toolCall("env")))) as {
      env: Record<string, string>;
      cwd: string;
    };
    const data = join(dir, "workspaces", "ws_default", "data", "fixture");
    expect(seen.cwd).toBe(data);
    expect(seen.env).toMatchObject({ FROM_MANIFEST: "m", OWN: "o", LET_IN: "yes", BAILIWICK_BUNDLE_DATA: data });
    for (const name of ["BAILIWICK_KEY", "NB_API_KEY", "ANTHROPIC_API_KEY"]) expect(seen.env).not.toHaveProperty(name);
  });

  test("shows a tool that it grew, after any number of notices, with few listings", async () => {
    const dir = makeWorkDir();
    const methods = join(dir, "methods");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_TOOLS: join(dir, "tools"), FIXTURE_METHODS: methods }));
    const { provider, changes } = await runBundles(dir, { bundles: [{ path: "b", pinning: "warn" }] });
    const fixture = provider("fixture");
    await untilRunning(fixture);
    const before = changes.get("fixture") ?? 0;
    textOf(await fixture.send(toolCall("grow")));
    await until(() => fixture.catalogue().tools.some((tool) => tool.name === "extra"));
    expect(changes.get("fixture")).toBeGreaterThan(before);
    expect(readLines(methods).filter((method) => method === "tools/list").length).toBeLessThan(6);
  });

  test("is not hurt by a flood on stderr, and the flood is kept short", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_STDERR_FLOOD: "1" }));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    await untilRunning(provider("fixture"));
    for (let i = 0; i < 20; i++) expect(textOf(await provider("fixture").send(toolCall("echo")))).toBe('{"a":1}');
    const lines = bundles.output("fixture");
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines.at(-2)).toBe("x".repeat(99));
  });

  test("may write half a line and plain text to its output; the text is kept for people", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_HALF_LINE: "1" }));
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "b" }] });
    await untilRunning(provider("fixture"));
    expect(textOf(await provider("fixture").send(toolCall("echo")))).toBe('{"a":1}');
    expect(bundles.output("fixture")).toContain("this is no message");
  });
});

describe("a bundle that crashes", () => {
  test("is back within 2 s; its call in flight is indeterminate and was not sent twice", async () => {
    const dir = makeWorkDir();
    const calls = join(dir, "calls");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_CALLS: calls }));
    makeBundle(dir, "o", fixtureManifest("other"));
    const { provider, events } = await runBundles(dir, { bundles: [{ path: "b" }, { path: "o" }] });
    const fixture = provider("fixture");
    await Promise.all([untilRunning(fixture), untilRunning(provider("other"))]);
    const ending = await fixture.send(toolCall("crash")).catch((error: unknown) => error);
    expect(ending).toBeInstanceOf(Refusal);
    expect((ending as Refusal).kind).toBe("indeterminate");
    expect(fixture.catalogue().tools.length).toBeGreaterThan(0);
    await until(() => fixture.status().state !== "running");
    expect(await fixture.whenReady(2_000, NEVER)).toBe(true);
    expect(readLines(calls)).toEqual(["crash"]);
    expect(fixture.status()).toMatchObject({ restartsInWindow: 1, lastError: "was killed by SIGKILL" });
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      expect.arrayContaining([
        ["bundle.crashed", { name: "fixture", restartAttempt: 1 }],
        ["bundle.recovered", { name: "fixture" }],
      ]),
    );
    expect(provider("other").status().restartsInWindow).toBe(0);
  });

  test("five times in a minute is dead, refuses at once with the start command, and a start revives it", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture"));
    const restart = { delaysMs: [0, 10] };
    const { provider, bundles, events } = await runBundles(dir, { bundles: [{ path: "b" }], restart });
    const fixture = provider("fixture");
    for (let crash = 1; crash <= 5; crash++) {
      await untilRunning(fixture);
      await fixture.send(toolCall("crash")).catch(() => null);
      await until(() => fixture.status().restartsInWindow === crash);
    }
    expect(fixture.status()).toMatchObject({
      state: "dead",
      next: "Correct the cause, then run: bailiwick bundle start fixture",
    });
    expect(events.at(-1)).toMatchObject({
      type: "bundle.dead",
      data: { name: "fixture", message: "was killed by SIGKILL" },
    });
    expect(bundles.statusOf("fixture")).toMatchObject({
      health: "down",
      lastExit: expect.stringMatching(/^\d{4}-.*Z: was killed by SIGKILL$/),
    });
    expect(await fixture.whenReady(60_000, NEVER)).toBe(false);
    await expect(fixture.send(toolCall("echo"))).rejects.toMatchObject({
      kind: "not_ready",
      details: { state: "dead" },
    });
    expect(fixture.catalogue().tools.length).toBeGreaterThan(0);
    await bundles.startOne("fixture");
    await untilRunning(fixture);
    expect(fixture.status().restartsInWindow).toBe(0);
    expect(textOf(await fixture.send(toolCall("echo")))).toBe('{"a":1}');
  });

  test("at every start ends dead, and says what the program wrote", async () => {
    const dir = makeWorkDir();
    makeBundle(
      dir,
      "b",
      fixtureManifest("fixture", { FIXTURE_EXIT_AT_START: "no database", API_KEY: "hunter2hunter2" }),
    );
    const { provider } = await runBundles(dir, { bundles: [{ path: "b" }], restart: { delaysMs: [0] } });
    await until(() => provider("fixture").status().state === "dead");
    expect(provider("fixture").status().lastError).toMatch(
      /exited with code 3.*it last wrote: cannot start: no database/,
    );
  });

  test("because it hangs at its start is killed when its time is over", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    const env = { FIXTURE_HANG_AT_START: "1", FIXTURE_PIDS: pids, FIXTURE_IGNORE_TERM: "1", FIXTURE_IGNORE_END: "1" };
    makeBundle(dir, "b", fixtureManifest("fixture", env));
    const { provider } = await runBundles(
      dir,
      { bundles: [{ path: "b" }], restart: { delaysMs: [60_000] } },
      { timing: { startTimeoutMs: 500 } },
    );
    await until(() => provider("fixture").status().state === "crashed");
    expect(provider("fixture").status().lastError).toContain("it was not ready 0.5 s after its start");
    expect(readLines(pids)).toHaveLength(1);
    expect(readLines(pids).filter(isAlive)).toEqual([]);
  });

  test("because its program does not exist says so", async () => {
    const dir = makeWorkDir();
    const manifest = fixtureManifest("fixture");
    manifest["server"] = { type: "binary", entry_point: "x", mcp_config: { command: "no-such-program-here" } };
    makeBundle(dir, "b", manifest);
    const { provider } = await runBundles(dir, { bundles: [{ path: "b" }], restart: { delaysMs: [0] } });
    await until(() => provider("fixture").status().state === "dead");
    expect(provider("fixture").status().lastError).toContain("no-such-program-here was not found");
  });

  test("a hundred times leaves exactly one process", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_PIDS: pids }));
    const restart = { delaysMs: [0], maxCrashes: 1_000 };
    const { provider } = await runBundles(dir, { bundles: [{ path: "b" }], restart });
    const fixture = provider("fixture");
    for (let crash = 1; crash <= 100; crash++) {
      await untilRunning(fixture);
      await fixture.send(toolCall("crash")).catch(() => null);
      await until(() => fixture.status().restartsInWindow === crash);
    }
    await untilRunning(fixture);
    expect(readLines(pids)).toHaveLength(101);
    expect(readLines(pids).filter(isAlive)).toEqual(readLines(pids).slice(-1));
  }, 120_000);

  test("silently, deaf to two probes, is started again; a call in flight keeps the probes away", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture"));
    const { provider, events } = await runBundles(
      dir,
      { bundles: [{ path: "b" }] },
      { timing: { livenessIntervalMs: 100, livenessTimeoutMs: 50 } },
    );
    const fixture = provider("fixture");
    await untilRunning(fixture);
    const abort = new AbortController();
    textOf(await fixture.send(toolCall("mute")));
    const hanging = fixture.send(toolCall("hang", abort.signal)).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(fixture.status().state).toBe("running");
    abort.abort();
    await hanging;
    await until(() => events.some((event) => event.type === "bundle.recovered"));
    expect(fixture.status().lastError).toContain("it did not answer two liveness probes");
  });

  test("when asked an unknown question counts as one start, not as a crash", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "b", fixtureManifest("fixture", { FIXTURE_EXIT_ON_UNKNOWN: "1" }));
    const { provider, events } = await runBundles(dir, { bundles: [{ path: "b" }] });
    await untilRunning(provider("fixture"));
    expect(provider("fixture").status().restartsInWindow).toBe(0);
    expect(events.map((event) => event.type)).toEqual(["bundle.definitions_accepted", "bundle.started"]);
  });
});
