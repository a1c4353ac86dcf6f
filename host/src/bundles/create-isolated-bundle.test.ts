import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import type { Provider } from "../kernel/provider.ts";
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
  type TestBundles,
} from "./bundles-for-tests.ts";

const never = new AbortController().signal;
const ISOLATED = { path: "fixture", isolation: "principal" };

const as = (provider: Provider, name: string): Provider => {
  const [id = "", onBehalfOf = null] = name.split(" for ");
  return provider.of?.({ id, onBehalfOf } as Principal) ?? provider;
};

interface Run extends TestBundles {
  readonly dir: string;
  readonly fixture: Provider;
  readonly pids: () => string[];
}

const run = async (entry: object = {}, more: Parameters<typeof runBundles>[2] = {}): Promise<Run> => {
  const dir = makeWorkDir();
  makeBundle(dir, "fixture", fixtureManifest("fixture", { FIXTURE_PIDS: join(dir, "pids") }));
  const started = await runBundles(dir, { bundles: [{ ...ISOLATED, ...entry }] }, more);
  return { ...started, dir, fixture: started.provider("fixture"), pids: () => readLines(join(dir, "pids")) };
};

/** As a call comes: first what is listed, then the call. */
const call = async (provider: Provider, who: string, tool = "env"): Promise<string> => {
  const view = as(provider, who);
  await view.whenReady(5_000, never);
  return textOf(await view.send({ ...toolCall(tool), owner: who }));
};

const factsOf = async (provider: Provider, who: string): Promise<{ pid: number; cwd: string }> =>
  JSON.parse(await call(provider, who)) as { pid: number; cwd: string };

const isUp = ({ fixture }: Run): Promise<void> => until(() => fixture.status().state === "running");

const stopsOf = ({ events }: Run): string[] =>
  events.filter(({ type }) => type === "bundle.stopped").map(({ message }) => message);

describe("a process for each principal", () => {
  test("nothing is started until somebody comes; the first who looks finds out what there is", async () => {
    const started = await run();
    await isUp(started);
    expect(started.pids()).toEqual([]);
    expect(as(started.fixture, "person:ann").catalogue().tools).toEqual([]);
    await until(() => started.fixture.catalogue().tools.length > 0);
    expect(started.pids()).toHaveLength(1);
    expect(as(started.fixture, "person:bob").catalogue().tools).toHaveLength(started.fixture.catalogue().tools.length);
    expect(started.pids()).toHaveLength(1);
  });

  test("two principals have two, each with a data directory of its own, and no session adds a third", async () => {
    const started = await run();
    await isUp(started);
    const [ann, bob, agent] = await Promise.all([
      factsOf(started.fixture, "person:ann"),
      factsOf(started.fixture, "person:bob"),
      factsOf(started.fixture, "agent:ci for person:ann"),
    ]);
    expect(new Set([ann?.pid, bob?.pid, agent?.pid]).size).toBe(3);
    expect(new Set([ann?.cwd, bob?.cwd, agent?.cwd]).size).toBe(3);
    for (let each = 0; each < 5; each++) expect((await factsOf(started.fixture, "person:ann")).pid).toBe(ann?.pid);
    expect(started.pids()).toHaveLength(3);
    const data = join(started.dir, "workspaces/ws_default/data/fixture");
    expect(ann?.cwd.startsWith(`${data}/`)).toBe(true);
    for (const own of readdirSync(data)) {
      expect(own).toMatch(/^[0-9a-f]{32}$/);
      expect(statSync(join(data, own)).mode & 0o777).toBe(0o700);
    }
  });

  test("one that crashes is back for its principal, and the others do not notice", async () => {
    const started = await run();
    await isUp(started);
    const bob = await factsOf(started.fixture, "person:bob");
    const ann = await factsOf(started.fixture, "person:ann");
    await expect(call(started.fixture, "person:ann", "crash")).rejects.toMatchObject({ kind: "indeterminate" });
    await until(() => started.pids().length === 3);
    expect((await factsOf(started.fixture, "person:ann")).pid).not.toBe(ann.pid);
    expect((await factsOf(started.fixture, "person:bob")).pid).toBe(bob.pid);
  });

  test("one that nobody uses ends, and the next call has a new one", async () => {
    const started = await run({}, { timing: { idleMs: 100 } });
    await isUp(started);
    const { pid } = await factsOf(started.fixture, "person:ann");
    await until(() => !isAlive(pid));
    expect(stopsOf(started)).toEqual([]);
    expect(as(started.fixture, "person:ann").status().state).toBe("running");
    expect((await factsOf(started.fixture, "person:ann")).pid).not.toBe(pid);
  });

  test("a stop ends all of them, and a start brings back whoever comes", async () => {
    const started = await run();
    await isUp(started);
    for (const who of ["person:ann", "person:bob"]) await call(started.fixture, who);
    await started.bundles.stopOne("fixture");
    expect(started.pids().filter(isAlive)).toEqual([]);
    expect(stopsOf(started)).toEqual(["fixture stopped: somebody stopped it"]);
    expect(as(started.fixture, "person:ann").status().state).toBe("stopped");
    await started.bundles.startOne("fixture");
    await until(() => started.fixture.status().state === "running");
    expect(started.pids()).toHaveLength(2);
    await call(started.fixture, "person:ann");
    expect(started.pids()).toHaveLength(3);
  });

  test("a stop is told of once, also of one that nobody ever used", async () => {
    const started = await run();
    await isUp(started);
    await started.bundles.stopOne("fixture");
    await started.bundles.stopOne("fixture");
    expect(stopsOf(started)).toEqual(["fixture stopped: somebody stopped it"]);
    await started.bundles.restartOne("fixture");
    await isUp(started);
    await started.bundles.restartOne("fixture");
    expect(stopsOf(started).slice(1)).toEqual(["fixture stopped: being restarted"]);
  });

  test("one that gave up says so to its principal, and a start of the bundle tries again", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "fixture", fixtureManifest("fixture", { FIXTURE_EXIT_AT_START: "no luck" }));
    const restart = { maxCrashes: 2, delaysMs: [0] };
    const { provider, bundles } = await runBundles(dir, { bundles: [ISOLATED], restart });
    await until(() => provider("fixture").status().state === "running");
    const ann = as(provider("fixture"), "person:ann");
    await until(() => ann.status().state === "dead");
    expect(bundles.statusOf("fixture")).toMatchObject({ state: "dead", next: expect.stringContaining("bundle start") });
    expect(bundles.output("fixture")).toContain("cannot start: no luck");
    makeBundle(dir, "fixture", fixtureManifest("fixture"));
    await bundles.startOne("fixture");
    await until(() => ann.status().state === "running");
    expect(await call(provider("fixture"), "person:ann", "echo")).toBe('{"a":1}');
  });
});

describe("a process for each principal, at most 32 of them", () => {
  test("the one that was used least recently makes room for the 33rd", async () => {
    const started = await run();
    await isUp(started);
    const first = await factsOf(started.fixture, "person:0");
    for (let each = 1; each < 33; each++) await call(started.fixture, `person:${each}`);
    await until(() => !isAlive(first.pid));
    expect(started.pids().filter(isAlive)).toHaveLength(32);
  });

  test("where all are in use the 33rd is told to try again, and nothing was sent", async () => {
    const started = await run();
    await isUp(started);
    const abort = new AbortController();
    const busy = Array.from({ length: 32 }, async (_, each) => {
      const view = as(started.fixture, `person:${each}`);
      await view.whenReady(20_000, never);
      await view.send(toolCall("hang", abort.signal)).catch(() => null);
    });
    await until(() => started.bundles.find("fixture").bundle.inFlight() === 32);
    await expect(call(started.fixture, "person:32")).rejects.toMatchObject({
      kind: "not_ready",
      message: expect.stringContaining("32 connections, all of them in use"),
      retryAfterMs: 1_000,
    });
    expect(started.pids()).toHaveLength(32);
    abort.abort();
    await started.bundles.stopOne("fixture");
    await Promise.all(busy);
  });
});

describe("the gate of an entry whose principals have their own", () => {
  test("refuses at once what may not run, before anybody comes, and nothing is ever started", async () => {
    const dir = makeWorkDir();
    const required = { "ai.nimblebrain/other": { required: true } };
    makeBundle(dir, "fixture", {
      ...fixtureManifest("fixture", { FIXTURE_PIDS: join(dir, "pids") }),
      _meta: { "ai.nimblebrain/host": { host_version: "1.1", host_capabilities: required } },
    });
    const { provider, bundles, events } = await runBundles(dir, { bundles: [ISOLATED] });
    await until(() => provider("fixture").status().state === "refused");
    expect(bundles.find("fixture").bundle.refusal()).toMatchObject({ kind: "install_refused" });
    expect(events.map(({ type }) => type)).toEqual(["bundle.refused"]);
    const ann = as(provider("fixture"), "person:ann");
    expect(ann.status()).toMatchObject({ state: "refused", reason: expect.stringContaining("ai.nimblebrain/other") });
    expect(await ann.whenReady(100, never)).toBe(false);
    expect(existsSync(join(dir, "pids"))).toBe(false);
  });

  test("shows no secret of the entry in what it says of its refusal, to anybody", async () => {
    const dir = makeWorkDir();
    const manifest = fixtureManifest("fixture");
    makeBundle(dir, "fixture", {
      ...manifest,
      user_config: { port: { type: "number", title: "p", description: "p" } },
    });
    const secret = "s3cr3t-of-the-environment";
    const entry = { ...ISOLATED, userConfig: { port: secret } };
    const { provider, bundles, events } = await runBundles(
      dir,
      { bundles: [entry] },
      { resolveSecrets: (resolved) => ({ ok: true, entry: resolved, secrets: [secret] }) },
    );
    await until(() => provider("fixture").status().state === "refused");
    const { message, next, details } = bundles.find("fixture").bundle.refusal() ?? {};
    expect(message).toContain("[redacted]");
    const said = [events, provider("fixture").status(), bundles.statusOf("fixture"), message, next, details];
    expect(JSON.stringify([...said, as(provider("fixture"), "person:ann").status()])).not.toContain(secret);
  });

  test("a corrected manifest is taken by the next start", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "fixture", { ...fixtureManifest("fixture"), compatibility: { platforms: ["win32"] } });
    const { provider, bundles } = await runBundles(dir, { bundles: [ISOLATED] });
    await until(() => provider("fixture").status().state === "refused");
    makeBundle(dir, "fixture", fixtureManifest("fixture"));
    await bundles.startOne("fixture");
    await until(() => provider("fixture").status().state === "running");
    expect(await call(provider("fixture"), "person:ann", "echo")).toBe('{"a":1}');
  });

  test("refuses an address that no entry may have", async () => {
    const entry = { url: "https://10.0.0.1/mcp", serverName: "private", isolation: "principal" };
    const { provider } = await runBundles(makeWorkDir(), { bundles: [entry] });
    await until(() => provider("private").status().state === "refused");
    expect(provider("private").status().reason).toContain("private address");
  });
});
