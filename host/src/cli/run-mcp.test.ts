/** The process `bailiwick mcp`: what it writes where, how it ends, and what it leaves behind. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Cli, Serving } from "./cli-for-tests.ts";
import { childrenOf, createMcpCli, isAlive, startMcp, type McpProcess } from "./run-mcp-for-tests.ts";

const PATIENT = { timeout: 20_000, interval: 50 };
let cli: Cli;
let started: McpProcess[];
beforeEach(() => {
  cli = createMcpCli();
  started = [];
});
afterEach(async () => {
  for (const mcp of started) if (isAlive(mcp.pid)) mcp.signal("SIGTERM");
  await Promise.all(started.map(({ exited }) => exited));
  await cli.clean();
});

const start = (...args: readonly string[]): McpProcess => {
  const mcp = startMcp(cli, ...args);
  started.push(mcp);
  return mcp;
};

const serve = async (): Promise<Serving> => {
  const host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says(/"demo","state":"running"/);
  return host;
};

const initialize = (mcp: McpProcess): Promise<void> => {
  const clientInfo = { name: "t", version: "1" };
  mcp.request("init", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  mcp.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return answered(mcp, "init");
};

const answered = (mcp: McpProcess, id: unknown): Promise<void> =>
  vi.waitFor(() => expect(mcp.said().map((message) => message.id)).toContain(id), PATIENT);

/** Alone it starts its bundles itself, so the first answer waits for one. */
const whenUp = (mcp: McpProcess): Promise<void> => {
  let id = 0;
  return vi.waitFor(async () => {
    mcp.request(++id, "tools/list");
    await answered(mcp, id);
    expect(JSON.stringify(mcp.said().at(-1))).toContain("demo__echo");
  }, PATIENT);
};

describe.each([
  ["beside a running host", true],
  ["alone", false],
])("%s", (_, beside) => {
  beforeEach(async () => {
    if (beside) await serve();
  });

  it("writes nothing but protocol to stdout, and ends when its input has ended and all is answered", async () => {
    const mcp = start("--debug");
    await initialize(mcp);
    await whenUp(mcp);
    mcp.write("this is no message\n");
    mcp.request("a", "tools/call", { name: "demo__steps", arguments: {}, _meta: { progressToken: 1 } });
    mcp.endInput();
    expect(await mcp.exited).toBe(0);
    const said = mcp.said();
    for (const message of said) expect(message).toMatchObject({ jsonrpc: "2.0" });
    expect(said.find(({ id }) => id === "a").result.content[0].text).toBe("both done");
    expect(said.some(({ method }) => method === "notifications/progress")).toBe(true);
  });

  it("killed, leaves nothing behind", async () => {
    const mcp = start();
    await initialize(mcp);
    await whenUp(mcp);
    // Beside a host the call of a legacy client would go on, and the host would wait for it when it is stopped.
    if (!beside) mcp.request("w", "tools/call", { name: "demo__wait", arguments: {} });
    const children = childrenOf(cli);
    expect(children.length).toBeGreaterThan(0);
    mcp.signal("SIGKILL");
    await mcp.exited;
    if (beside) expect(children.filter(isAlive)).toEqual(children);
    else await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), PATIENT);
  });

  it("refuses a provider that is not there, on stderr", async () => {
    const mcp = start("--provider", "demmo", "--json");
    expect(await mcp.exited).toBe(3);
    expect(mcp.said()).toEqual([]);
    expect(mcp.err()).toContain('There is no provider "demmo"');
  });

  it("ends at once when its input is empty", async () => {
    const mcp = start();
    mcp.endInput();
    expect(await mcp.exited).toBe(0);
    expect(mcp.said()).toEqual([]);
  });
});

it("says that the host was lost, with exit code 1, though its input is still open", async () => {
  const host = await serve();
  const mcp = start();
  await initialize(mcp);
  host.signal("SIGKILL");
  expect(await mcp.exited).toBe(1);
  expect(mcp.err()).toContain("ended the connection");
  expect(mcp.err()).toContain("bailiwick serve");
});

it("alone, asked to stop, ends its bundles", async () => {
  const mcp = start();
  await initialize(mcp);
  await whenUp(mcp);
  const children = childrenOf(cli);
  mcp.signal("SIGTERM");
  expect(await mcp.exited).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

it("alone a second time in one work directory, says what to do", async () => {
  const first = start();
  await initialize(first);
  const second = start();
  expect(await second.exited).toBe(3);
  expect(second.said()).toEqual([]);
  expect(second.err()).toContain("bailiwick serve");
});

it.each([
  ["other", 2, '"other" is no id of a workspace'],
  ["ws_other", 3, 'There is no workspace "ws_other"'],
])("refuses the workspace %s, which there is not", async (workspace, code, message) => {
  const mcp = start("--workspace", workspace);
  expect(await mcp.exited).toBe(code);
  expect(mcp.err()).toContain(message);
});
