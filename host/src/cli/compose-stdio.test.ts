/** Plug-ins that print where they can, behind a client at a pipe: the pipe carries the protocol and nothing else. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { isAlive, startMcp, type McpProcess } from "./run-mcp-for-tests.ts";

// Starts of the program, and a plug-in that fills its memory.
vi.setConfig({ testTimeout: 90_000 });

const PATIENT = { timeout: 40_000, interval: 50 };
const INTRUDER = "intruder-on-stdout";
const PRINTS = `
  console.log("${INTRUDER}"); console.error("${INTRUDER}"); process.stdout.write("${INTRUDER}\\n");
  for (const fd of [1, 2, 3, 5, 6]) try { fs.writeSync(fd, "${INTRUDER}\\n"); } catch {}
  child.spawnSync("sh", ["-c", "echo ${INTRUDER}; echo ${INTRUDER} >&2"], { stdio: "inherit" });`;
const IMPORTS = 'import fs from "node:fs"; import child from "node:child_process";\n';

const pluginOf = (type: string, body: string): string => `${IMPORTS}${PRINTS}
export default { type: "${type}", version: "1.0.0", async generate({ context }) { ${body} } };\n`;

const PLUGINS: Readonly<Record<string, string>> = {
  prints: `${PRINTS} return "made";`,
  floods: `for (let i = 0; i < 20_000; i++) console.log("${INTRUDER}".repeat(20)); return "made";`,
  aborts: "process.abort();",
  memory: "const all = []; for (;;) all.push(new Array(1e6).fill(all.length));",
};

let cli: Cli;
let mcp: McpProcess | null;
beforeEach(() => {
  mcp = null;
  cli = createCli();
  cli.configure({
    workDir: "work",
    noDefaultBundles: true,
    capabilities: { roots: { list: [{ name: "project", path: "project" }] } },
  });
  const folder = join(cli.workDir, "plugins/generators");
  mkdirSync(folder, { recursive: true });
  for (const [type, body] of Object.entries(PLUGINS)) {
    writeFileSync(join(folder, `${type}.generator.mjs`), pluginOf(type, body));
    mkdirSync(join(cli.dir, `project/configs/content/${type}`), { recursive: true });
    writeFileSync(
      join(cli.dir, `project/configs/content/${type}/${type}-content.json`),
      JSON.stringify(configOf(type)),
    );
  }
});
afterEach(async () => {
  if (mcp !== null && isAlive(mcp.pid)) mcp.signal("SIGTERM");
  await mcp?.exited;
  await cli.clean();
});

const configOf = (type: string): object => ({
  type: "content",
  id: type,
  schemaRef: { id: "content-schema", version: "3.1" },
  metadata: { description: "A text.", version: "1.0.0" },
  elements: [{ name: "body" }],
  generation: { patterns: [{ id: "p", type, template: "x" }] },
});

const answer = async (to: McpProcess, id: string): Promise<any> => {
  await vi.waitFor(() => expect(to.said().map((message) => message.id)).toContain(id), PATIENT);
  return to.said().find((message) => message.id === id);
};

test.each([
  ["alone", false],
  ["beside a running host", true],
])("%s, nothing that a plug-in prints comes through", async (_, beside) => {
  if (beside) await cli.start(["serve", "--port", "0", "--json"]).says('"listening"');
  mcp = startMcp(cli, "--debug");
  const clientInfo = { name: "t", version: "1" };
  mcp.request("init", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  mcp.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await answer(mcp, "init");
  const call = async (id: string, name: string, args: object): Promise<any> => {
    mcp!.request(id, "tools/call", { name, arguments: args });
    return (await answer(mcp!, id)).result.structuredContent;
  };
  const listed = await call("list", "compose__list_generators", { generator_type: "plugin" });
  expect(listed.generators.map(({ type }: { type: string }) => type)).toEqual(Object.keys(PLUGINS).toSorted());
  const made = await Promise.all(
    Object.keys(PLUGINS).map((type) => call(type, "compose__generate_content", { content_config_id: type })),
  );
  expect(made.map(({ content, error }) => content ?? error.code)).toEqual([
    "made",
    "made",
    "generation_failed",
    "generation_failed",
  ]);
  mcp.request("read", "resources/read", { uri: "capabilities://generators" });
  expect((await answer(mcp, "read")).result.contents).toHaveLength(1);
  mcp.endInput();
  expect(await mcp.exited).toBe(0);
  for (const message of mcp.said()) expect(message).toMatchObject({ jsonrpc: "2.0" });
  expect(JSON.stringify(mcp.said())).not.toContain(INTRUDER);
});
