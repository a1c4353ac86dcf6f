import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCli, DEMO, type Cli, type Serving } from "./cli-for-tests.ts";

describe.each(["with a running host", "without one"])("from the terminal, %s", (how) => {
  let cli: Cli;
  let host: Serving | null = null;
  beforeAll(async () => {
    cli = createCli();
    cli.configure(DEMO);
    if (how === "without one") return;
    host = cli.start(["serve", "--port", "0"]);
    await host.says("Ready:");
  });
  afterAll(() => cli.clean());

  it("tools lists name, state and the first line of each description", async () => {
    const { code, out } = await cli.run(["tools"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^tool +state +description\n/);
    expect(out).toMatch(/^demo__echo +invokable +Says it again\.$/m);
    expect(out).not.toContain("And more");
  });

  it("tools takes a query, and --json", async () => {
    const { out } = await cli.run(["tools", "picture", "--json"]);
    const { tools } = JSON.parse(out) as { tools: { name: string; state: string }[] };
    expect(tools[0]).toMatchObject({ name: "demo__picture", state: "invokable" });
  });

  it("call prints what the tool said, byte for byte", async () => {
    const { code, out } = await cli.run(["call", "demo__echo", "-"], JSON.stringify({ text: "ä\u001B[31m\ttab" }));
    expect(out).toBe("ä\u001B[31m\ttab\n");
    expect(code).toBe(0);
  });

  it("call --json prints the whole result with its evidence id", async () => {
    const { out } = await cli.run(["call", "demo__echo", '{"text":"hi"}', "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      content: [{ type: "text", text: "hi" }],
      _meta: { "dev.bailiwick/evidence": expect.stringMatching(/^evt_c1_/) as unknown },
    });
  });

  it("call sums up what is not text", async () => {
    expect((await cli.run(["call", "demo__picture"])).out).toBe("[image image/png 12 kB]\n");
  });

  it.each([
    ["fail", [], 1, "it broke\n", "demo__fail failed:"],
    ["error", [], 1, "", "own trouble"],
    ["ekho", [], 3, "", "demo__echo"],
    ["echo", ["{}"], 3, "", "text"],
    ["echo", ["{text:1}"], 2, "", "line 1, column 2"],
    ["die", [], 5, "", "→ "],
  ])("call demo__%s %j ends with its own exit code", async (tool, args, code, out, err) => {
    const ran = await cli.run(["call", `demo__${tool}`, ...args]);
    expect(ran).toMatchObject({ code, out });
    expect(ran.err).toContain(err);
  });

  it("call --json of a refusal carries the refusal's object", async () => {
    const { code, out } = await cli.run(["call", "demo__nothing", "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      isError: true,
      _meta: { "dev.bailiwick/refusal": { kind: "unknown_tool", stage: 3, fixer: "caller" } },
    });
  });

  it("key create shows a secret once; list and revoke know the key by its name", async () => {
    const made = await cli.run([
      "key",
      "create",
      "--name",
      "ci",
      "--scope",
      "demo__echo",
      "--permission",
      "evidence:read",
    ]);
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^bw_[\w-]{43}\n$/);
    expect(made.err).toContain("agent:ci for person:owner, demo__echo, may evidence:read");
    expect(readFileSync(join(cli.workDir, "keys.json"), "utf8")).not.toContain(made.out.trim());
    expect((await cli.run(["key", "list"])).out).toMatch(/^ci +active +agent:ci for person:owner +demo__echo/m);
    expect((await cli.run(["key", "create", "--name", "ci"])).code).toBe(3);
    expect(await cli.run(["key", "revoke", "ci"])).toMatchObject({
      code: 0,
      out: "Revoked: ci. It stopped working at once.\n",
    });
    expect((await cli.run(["key", "list"])).out).toMatch(/^ci +revoked/m);
    expect((await cli.run(["key", "revoke", "nobody"])).code).toBe(3);
  });

  it("evidence has every call and every refusal, verifies, and exports what verifies again", async () => {
    const tail = (await cli.run(["evidence", "tail", "-n", "1000"])).out;
    expect(tail).toMatch(/ completed +demo__echo +person:\w+ via (rest|cli) +\d+ ms$/m);
    expect(tail).toMatch(/ denied +demo__nothing .*capability_not_found/);
    expect(tail).toMatch(/ indeterminate +demo__die /);
    expect(await cli.run(["evidence", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ cover +pass\n/) as unknown,
    });
    expect((await cli.run(["evidence", "verify", "--tier", "hash-chain"])).code).toBe(0);
    expect((await cli.run(["evidence", "export", "--out", "all.jsonl"])).code).toBe(0);
    expect(await cli.run(["evidence", "verify", "all.jsonl"])).toMatchObject({ code: 0 });
    const lines = readFileSync(join(cli.dir, "all.jsonl"), "utf8").split("\n");
    writeFileSync(join(cli.dir, "forged.jsonl"), lines.join("\n").replace("demo__nothing", "demo__anything"));
    const forged = await cli.run(["evidence", "verify", "forged.jsonl"]);
    expect(forged.code).toBe(1);
    expect(forged.err).toMatch(/INVALID at record \d+/);
    writeFileSync(join(cli.dir, "junk.jsonl"), "hello\n");
    expect((await cli.run(["evidence", "verify", "junk.jsonl"])).code).toBe(2);
    expect((await cli.run(["evidence", "verify", "missing.jsonl"])).code).toBe(2);
  });

  it("evidence shows a record by sequence, event id, correlation and invocation, and exports one correlation", async () => {
    const all = (await cli.run(["evidence", "tail", "--json", "-n", "1000"])).out.split("\n");
    const line = all.find((each) => each.includes('"execution_completed"')) ?? "";
    const event = JSON.parse(line) as {
      sequence: number;
      event_id: string;
      invocation_id: string;
      correlation: { correlation_id: string };
    };
    const { correlation_id: correlation } = event.correlation;
    for (const id of [String(event.sequence), event.event_id, correlation, event.invocation_id]) {
      expect((await cli.run(["evidence", "show", id, "--json"])).out).toContain(line);
    }
    expect((await cli.run(["evidence", "show", "nothing"])).code).toBe(1);
    await cli.run(["evidence", "export", "--correlation", correlation, "--out", "one.jsonl"]);
    expect(await cli.run(["evidence", "verify", "one.jsonl"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^2 records, one correlation\n/) as unknown,
    });
  });

  it("evidence tail --follow shows what comes, until Ctrl-C", async () => {
    const follow = cli.start(["evidence", "tail", "-n", "0", "--follow"]);
    // The first record it shows must be one that came after it began to look.
    let seen = "";
    for (let round = 0; round < 10 && !seen.includes("demo__echo"); round++) {
      await cli.run(["call", "demo__echo", '{"text":"x"}']);
      seen = follow.out();
    }
    expect(seen).toContain("demo__echo");
    follow.signal("SIGINT");
    expect(await follow.exited).toBe(0);
  });
});

describe("progress", () => {
  it("is shown on stderr while the call runs in this process", async () => {
    const cli = createCli();
    cli.configure(DEMO);
    const { out, err } = await cli.run(["call", "demo__steps"]);
    await cli.clean();
    expect(out).toBe("both done\n");
    expect(err).toContain("… 1 of 2 half");
  });
});
