/** A `tools.yaml` with ten entries of which three are wrong: what people and programs are told of it, wherever they look. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { writePackage, type Json } from "../assembly/packages-place-for-tests.ts";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { taskClient } from "./task-client-for-tests.ts";

// Many commands, each a process of its own.
vi.setConfig({ testTimeout: 60_000 });

const good = (name: string): string => `  - name: ${name}\n    description: Says ${name}.\n`;
const TOOLS = `tools:
${good("a")}${good("b")}  - name: slow
    timeout_hint_secs: 6000
${good("c")}${good("d")}  - name: lost
    source_file: scripts/nowhere.sh
${good("e")}  - name: odd
    input_schema: {type: object, properties: {n: {type: whole}}}
${good("f")}${good("g")}`;
const SERVED = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `ten__${name}`);
/** Where each of them stands. */
const WRONG = [
  { tool: "slow", line: 7, at: "/tools/2/timeout_hint_secs", says: "a whole number from 1 to 600" },
  { tool: "lost", line: 13, at: "/tools/5/source_file", says: "scripts/nowhere.sh" },
  { tool: "odd", line: 17, at: "/tools/7/input_schema", says: "input_schema is no usable JSON Schema" },
];

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  cli.configure({ workDir: "work", noDefaultBundles: true });
  const home = join(cli.workDir, "workspaces/ws_default/skills/ten");
  const script = `echo "\\"$1\\""`;
  writePackage(home, "ten", { "tools.yaml": TOOLS, "scripts/all.sh": script });
});
afterEach(() => cli.clean());

const serve = async (): Promise<{ readonly origin: string; readonly key: string }> => {
  const host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says('"listening"');
  const [, origin = ""] = /"listening".*"origin":"([^"]+)"/.exec(host.out()) ?? [];
  return { origin, key: readFileSync(join(cli.workDir, "owner.key"), "utf8").trim() };
};

it("gives seven tools that work and the same three diagnostics in the terminal, over REST and MCP, and by doctor", async () => {
  const { origin, key } = await serve();
  const get = async (path: string): Promise<Json> =>
    (await (await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })).json()) as Json;

  const { tools, diagnostics, state } = await get("/v1/skills/ten");
  expect([state, tools]).toEqual(["ready", SERVED]);
  expect(diagnostics).toEqual(
    WRONG.map(({ tool, line, at, says }) => ({
      reason_code: "invalid_tool",
      package: "ten",
      tool,
      pointer: `tools.yaml#${at}`,
      line,
      message: expect.stringContaining(says),
      suggested_fix: expect.stringMatching(/\S/),
    })),
  );
  expect(JSON.stringify(diagnostics)).not.toContain(cli.dir);

  const read = await taskClient(origin, key).ask("resources/read", {
    uri: "capabilities://skills",
    name: "capabilities://skills",
  });
  const { skills } = JSON.parse(read.result.contents[0].text) as Json;
  expect(skills).toMatchObject([{ name: "ten", tools: SERVED, diagnostics }, { name: "bailiwick" }]);

  const info = JSON.parse((await cli.run(["skill", "info", "ten", "--json"])).out) as Json;
  expect(info["skill"]).toMatchObject({ tools: SERVED, diagnostics });
  const lines = diagnostics.map(
    ({ tool, line, message }: Json) => `ten/tools.yaml:${line}  ${tool}  invalid_tool  ${message}`,
  ) as string[];
  const seen = await cli.run(["skill", "info", "ten"]);
  const doctor = await cli.run(["doctor"]);
  for (const line of lines) {
    expect(seen.out).toContain(line);
    expect(`${doctor.out}${doctor.err}`).toContain(line);
  }
  expect(`${doctor.out}${doctor.err}`).toMatch(/skill ten.*7 tools/);

  for (const name of [...SERVED, "ten__slow"]) {
    const answer = await fetch(`${origin}/v1/tools/call`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name, arguments: {} }),
    });
    const said = (await answer.json()) as Json;
    const works = { status: 200, value: { result: name.slice("ten__".length) } };
    expect({ status: answer.status, value: said["structuredContent"] }).toEqual(
      SERVED.includes(name) ? works : { status: 404, value: undefined },
    );
  }
});

it("is told and called without a running host too", async () => {
  const info = JSON.parse((await cli.run(["skill", "info", "ten", "--json"])).out) as Json;
  expect(info["skill"].tools).toEqual(SERVED);
  expect(info["skill"].diagnostics.map(({ tool }: Json) => tool as string)).toEqual(WRONG.map(({ tool }) => tool));
  expect((await cli.run(["skill", "list"])).out).toMatch(/^ten +package +ready +7 /m);
  expect(await cli.run(["call", "ten__g"])).toMatchObject({ code: 0, out: expect.stringContaining("g") });
});
