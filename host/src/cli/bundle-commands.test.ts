/** Bundles steered from the terminal: whole hosts, real processes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BundleSeen } from "../kernel/bundle-admin.ts";
import { createCli, DEMO, type Cli } from "./cli-for-tests.ts";

const BROKEN = {
  manifest_version: "0.3",
  name: "broken",
  version: "2.0.0",
  description: "A server that never starts.",
  author: { name: "tests" },
  server: {
    type: "node",
    entry_point: "x.js",
    mcp_config: { command: "node", args: ["-e", "console.error('no database'); process.exit(3)"] },
  },
};

const createBundlesCli = (): Cli => {
  const cli = createCli();
  mkdirSync(join(cli.dir, "broken"));
  writeFileSync(join(cli.dir, "broken", "manifest.json"), JSON.stringify(BROKEN));
  cli.configure({
    ...DEMO,
    bundles: [...DEMO.bundles, { path: "broken", enabled: false }],
    restart: { delaysMs: [0, 10] },
  });
  return cli;
};

describe("with a running host", () => {
  let cli: Cli;
  beforeAll(async () => {
    cli = createBundlesCli();
    await cli.start(["serve", "--port", "0"]).says(/demo +running/);
  });
  afterAll(() => cli.clean());

  const echo = () => cli.run(["call", "demo__echo", '{"text":"hi"}']);
  const rowOf = async (name: string): Promise<BundleSeen> => {
    const { out } = await cli.run(["bundle", "list", "--json"]);
    const { bundles } = JSON.parse(out) as { bundles: BundleSeen[] };
    return bundles.find((row) => row.name === name)!;
  };
  /** The command that a message names as the next step, as a person would type it. */
  const commandIn = (text: string): string[] => {
    const [, words = ""] = /bailiwick (bundle start \S+)/.exec(text) ?? [];
    return words.split(" ");
  };

  it("five crashes make it dead; the call is refused with the command that revives it, and that does", async () => {
    for (let crash = 1; crash <= 5; crash++) expect((await cli.run(["call", "demo__die"])).code).toBe(5);
    const refused = await echo();
    expect(refused.code).toBe(3);
    expect(refused.err).toContain("demo went down and is not started again");
    expect(await rowOf("demo")).toMatchObject({ status: "dead", health: "down", restartsInWindow: 5 });
    const command = commandIn(refused.err);
    expect(command).toEqual(["bundle", "start", "demo"]);
    expect(await cli.run(command)).toEqual({ code: 0, out: "demo is running, 7 tools.\n", err: "" });
    expect(await echo()).toMatchObject({ code: 0, out: "hi\n" });
    expect(await rowOf("demo")).toMatchObject({ status: "running", health: "ok", restartsInWindow: 0 });
  });

  it("a start of one that runs changes nothing", async () => {
    const { since } = await rowOf("demo");
    const { code, out } = await cli.run(["bundle", "start", "demo", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ bundle: { name: "demo", status: "running", since } });
  });

  it("a stopped one keeps its tools in the list as unavailable, with the command, until it is restarted", async () => {
    expect(await cli.run(["bundle", "stop", "demo"])).toEqual({ code: 0, out: "demo is stopped.\n", err: "" });
    expect((await cli.run(["bundle", "stop", "demo"])).code).toBe(0);
    expect((await cli.run(["tools"])).out).toMatch(/^demo__echo +unavailable +demo is stopped: somebody stopped it$/m);
    const refused = await echo();
    expect(refused.code).toBe(3);
    expect(commandIn(refused.err)).toEqual(["bundle", "start", "demo"]);
    expect(await cli.run(["bundle", "restart", "demo"])).toMatchObject({ code: 0, out: "demo is running, 7 tools.\n" });
    expect((await echo()).out).toBe("hi\n");
    const { since } = await rowOf("demo");
    expect((await cli.run(["bundle", "restart", "demo"])).code).toBe(0);
    expect((await rowOf("demo")).since).toBeGreaterThan(since);
  });

  it("one that does not come up says why, ends with 1, and its last words are kept", async () => {
    const { code, out, err } = await cli.run(["bundle", "start", "broken"]);
    expect({ code, out }).toEqual({ code: 1, out: "broken is dead.\n" });
    expect(err).toContain("no database");
    expect(err).toContain("→ Correct the cause, then run: bailiwick bundle start broken");
    expect(err).toContain("bailiwick bundle logs broken");
    const failed = await cli.run(["bundle", "restart", "broken", "--json"]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ bundle: { status: "dead", reason: expect.any(String) as unknown } });
    expect((await cli.run(["bundle", "logs", "broken"])).out).toMatch(/^(no database\n)+$/);
    const logs = JSON.parse((await cli.run(["bundle", "logs", "broken", "--json"])).out) as { lines: string[] };
    expect(logs.lines).toContain("no database");
    expect(await cli.run(["bundle", "logs", "demo"])).toMatchObject({ out: "", err: "demo has written nothing.\n" });
  });

  it("the list has every bundle, and the next step of those that do not run", async () => {
    const { code, out, err } = await cli.run(["bundle", "list"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^bundle +state +health +tools +version +why\n/);
    expect(out).toMatch(/^demo +running +ok +7 +1\.0\.0$/m);
    expect(out).toMatch(/^broken +dead +down +0 +2\.0\.0 +broken went down/m);
    expect(err).toBe("→ broken: Correct the cause, then run: bailiwick bundle start broken\n");
  });

  it.each(["start", "stop", "restart", "logs", "status", "inspect", "remove", "accept", "configure"])(
    "%s of an unknown one names the nearest",
    async (what) => {
      const { code, out, err } = await cli.run(["bundle", what, "dmeo"]);
      expect({ code, out }).toEqual({ code: 3, out: "" });
      expect(err).toBe('There is no bundle "dmeo".\n→ Did you mean "demo"?\n');
    },
  );

  it("who asked is in evidence, before what came of it", async () => {
    const { out } = await cli.run(["evidence", "tail", "-n", "1000", "--json"]);
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event_type: string; payload: { bundle?: string; by?: string } })
      .filter(({ payload }) => payload.bundle === "demo");
    const types = events.map(({ event_type: type }) => type.replace("dev.bailiwick.bundle_", ""));
    const from = types.indexOf("start_asked");
    expect(types.slice(from - 1).join(" ")).toBe(
      "dead start_asked started start_asked stop_asked stopped stop_asked " +
        "restart_asked started restart_asked stopped started",
    );
    for (const { event_type: type, payload } of events) {
      if (type.endsWith("_asked"))
        expect(payload).toMatchObject({ bundle: "demo", by: "person:owner", workspace: "ws_default" });
    }
    expect((await cli.run(["evidence", "tail", "-n", "1000"])).out).toMatch(
      / bundle_stop_asked +demo +by person:owner$/m,
    );
    expect((await cli.run(["evidence", "verify"])).code).toBe(0);
  });
});

describe("without a running host", () => {
  let cli: Cli;
  beforeAll(() => {
    cli = createBundlesCli();
  });
  afterAll(() => cli.clean());

  it.each(["start", "stop", "restart"])("%s says how to start one, and starts nothing", async (what) => {
    const text = "No host is running for this work directory; start it: bailiwick serve\n";
    expect(await cli.run(["bundle", what, "demo"])).toEqual({ code: 1, out: "", err: text });
    const { code, out } = await cli.run(["bundle", what, "demo", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: "not_ready", remedy: "bailiwick serve" });
  });

  it("list and logs start what they show for the moment", async () => {
    const listed = await cli.run(["bundle", "list"]);
    expect(listed.err).toContain("No host is running; starting demo");
    expect(listed.out).toMatch(/^demo +running +ok +7 /m);
    expect(listed.out).toMatch(/^broken +stopped +down +0 .*"enabled": false$/m);
    expect((await cli.run(["bundle", "logs", "demo"])).code).toBe(0);
  });

  it("status, inspect and configure look at what would run; the help names them all", async () => {
    const { code, out } = await cli.run(["bundle", "status"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^demo +running +ok +\d+ s +0 +7 +0 +– +off +1\.0\.0 +–$/m);
    expect((await cli.run(["bundle", "status", "demo", "--json"])).out).toContain('"health": "ok"');
    expect((await cli.run(["bundle", "--help"])).out).toMatch(/bundle accept .*\n/);
  });
});
