import { mkdirSync, writeFileSync } from "node:fs";
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

const HOST_BLOCK = {
  "ai.nimblebrain/host": {
    host_version: "1.1",
    host_capabilities: { "ai.nimblebrain/host-resources": { required: true } },
  },
};

describe("one bad entry stops no other", () => {
  test("each is listed as refused with its reason and next step, and nothing of it was started", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    const seen = { FIXTURE_PIDS: pids };
    makeBundle(dir, "good", fixtureManifest("good"));
    makeBundle(dir, "syntax", '{"name": }');
    makeBundle(dir, "schema", { ...fixtureManifest("schema", seen), surprise: 1 });
    makeBundle(dir, "demands", { ...fixtureManifest("demands", seen), _meta: HOST_BLOCK });
    makeBundle(dir, "elsewhere", { ...fixtureManifest("elsewhere", seen), compatibility: { platforms: ["win32"] } });
    makeBundle(dir, "needs-key", {
      ...fixtureManifest("needs-key", seen),
      user_config: { key: { type: "string", title: "Key", description: "d", required: true } },
    });
    writeFileSync(join(dir, "packed.mcpb"), "PK");
    mkdirSync(join(dir, "empty"));
    const { provider, providers } = await runBundles(dir, {
      hostResources: { enabled: false },
      registries: [],
      bundles: [
        ...["syntax", "schema", "demands", "elsewhere", "needs-key", "packed.mcpb", "empty", "absent"].map((path) => ({
          path,
        })),
        { name: "@acme/from-registry" },
        { url: "http://example.com/mcp", serverName: "plain" },
        { url: "https://10.0.0.1/mcp", serverName: "private" },
        { path: "good" },
      ],
    });
    await untilRunning(provider("good"));
    const refused = (name: string): [string | null, string | null] => {
      const { reason, next } = provider(name).status();
      return [reason, next];
    };
    await until(() => [...providers.values()].every((each) => ["running", "refused"].includes(each.status().state)));
    expect(refused("syntax")).toEqual([
      expect.stringContaining("manifest.json is not JSON"),
      expect.stringContaining("syntax"),
    ]);
    expect(refused("schema")).toEqual([
      expect.stringMatching(/\/surprise: unknown key\. Provided: \(none\)\. Refusing to install/),
      expect.stringContaining("tolerant"),
    ]);
    expect(refused("demands")).toEqual([
      expect.stringMatching(
        /^demands requires the host extension ai\.nimblebrain\/host-resources.*Provided: \(none\)\. Refusing to install/,
      ),
      expect.stringContaining('"required": false'),
    ]);
    expect(refused("elsewhere")[0]).toContain("runs on win32 only");
    expect(refused("needs-key")).toEqual([
      "needs-key needs key, which nobody has set.",
      expect.stringContaining("bailiwick bundle configure needs-key key=<value>"),
    ]);
    expect(refused("packed-mcpb")[0]).toContain("packed.mcpb");
    expect(refused("empty")[0]).toContain("manifest.json does not exist");
    expect(refused("absent")[0]).toContain("There is nothing at");
    expect(refused("from-registry")[0]).toContain("@acme/from-registry");
    expect(refused("plain")[0]).toContain("not https");
    expect(refused("private")[0]).toContain("private address");
    expect(readLines(pids)).toEqual([]);
  });

  test("a corrected manifest is taken by the next start, without a new host", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "fixture", "{");
    const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "fixture" }] });
    expect(provider("fixture").status().state).toBe("refused");
    makeBundle(dir, "fixture", fixtureManifest("fixture"));
    await bundles.startOne("fixture");
    await untilRunning(provider("fixture"));
  });

  test("an unset variable refuses its entry by name", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "fixture", fixtureManifest("fixture"));
    const { provider } = await runBundles(
      dir,
      { bundles: [{ path: "fixture" }] },
      { resolveSecrets: (_, pointer) => ({ ok: false, unresolved: [{ message: `${pointer}/env/K: K is not set` }] }) },
    );
    await until(() => provider("fixture").status().state === "refused");
    expect(provider("fixture").status().reason).toContain("/bundles/0/env/K: K is not set");
  });
});

describe("names", () => {
  test("of two that want one name the later is refused, naming both", async () => {
    const dir = makeWorkDir();
    makeBundle(dir, "a", fixtureManifest("@one/echo"));
    makeBundle(dir, "b", fixtureManifest("@two/Echo"));
    makeBundle(dir, "c", fixtureManifest("@three/echo"));
    makeBundle(dir, "d", fixtureManifest("files"));
    makeBundle(dir, "e", fixtureManifest("___"));
    const { provider, providers, bundles } = await runBundles(dir, {
      bundles: [{ path: "a" }, { path: "b" }, { path: "c", serverName: "other" }, { path: "d" }, { path: "e" }],
    });
    expect(provider("echo").status().state).toBe("starting");
    expect(provider("other").status().state).toBe("starting");
    expect(provider("echo-2").status()).toMatchObject({
      state: "refused",
      reason: 'Both /bundles/0 and /bundles/1 want the name "echo"; the first has it.',
      next: 'Set another "serverName" on the entry at /bundles/1.',
    });
    expect(provider("refused-files").status().reason).toContain("reserved for the host");
    expect([...providers.values()].filter((each) => each.status().state === "refused")).toHaveLength(3);
    // Nobody chose what it is listed under, so it does not run under that either.
    for (const name of ["echo-2", "refused-files"]) {
      await expect(bundles.startOne(name)).rejects.toThrow(
        expect.objectContaining({ next: expect.stringContaining("serverName") }),
      );
      expect(provider(name).status().state).toBe("refused");
    }
  });
});

test("a disabled entry is listed as stopped and runs when somebody starts it", async () => {
  const dir = makeWorkDir();
  makeBundle(dir, "fixture", fixtureManifest("fixture"));
  const { provider, bundles } = await runBundles(dir, { bundles: [{ path: "fixture", enabled: false }] });
  expect(provider("fixture").status()).toMatchObject({
    state: "stopped",
    reason: 'fixture is stopped: its entry says "enabled": false',
  });
  await bundles.startOne("fixture");
  await untilRunning(provider("fixture"));
});

test("ten bundles that hang at their start do not keep the eleventh from running, and stop leaves none", async () => {
  const dir = makeWorkDir();
  const pids = join(dir, "pids");
  for (let i = 0; i < 10; i++) {
    makeBundle(dir, `slow${i}`, fixtureManifest(`slow${i}`, { FIXTURE_HANG_AT_START: "1", FIXTURE_PIDS: pids }));
  }
  makeBundle(dir, "quick", fixtureManifest("quick", { FIXTURE_PIDS: pids }));
  const { provider, bundles } = await runBundles(dir, {
    bundles: [...Array.from({ length: 10 }, (_, i) => ({ path: `slow${i}` })), { path: "quick" }],
  });
  await until(() => readLines(pids).length >= 8);
  await untilRunning(provider("quick"));
  await bundles.stop();
  expect(readLines(pids).filter(isAlive)).toEqual([]);
  expect(bundles.status().map((each) => each.state)).toEqual(Array.from({ length: 11 }, () => "stopped"));
});
