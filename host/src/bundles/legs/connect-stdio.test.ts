import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { NOBODY } from "../../kernel/ask.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { connectStdio, ExitedDuringProbe, type StdioOptions } from "./connect-stdio.ts";
import { KNOWN_LEGACY } from "./era-memory.ts";
import { call, fixture, LIMITS, NO_EVENTS, packageBin, startProcess, type TestProcess } from "./process-for-tests.ts";

const running: TestProcess[] = [];
const never = new AbortController().signal;

const connect = async (args: string[], options: Partial<StdioOptions> = {}): Promise<Connection> => {
  const server = startProcess(args);
  running.push(server);
  const events = NO_EVENTS;
  return connectStdio(server, { limits: LIMITS, events, signal: never, hostVersion: "0.0.0", ...options });
};

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe("legacy servers from npm over stdio", () => {
  it("lists and calls server-everything, with progress, resources, prompts and completions", async () => {
    const server = await connect([packageBin("mcp-server-everything"), "stdio"]);
    expect(server.era).toBe("legacy");
    const catalogue = await server.list(never);
    expect(catalogue.tools.map((tool) => tool.name)).toContain("echo");
    expect(catalogue.prompts.length).toBeGreaterThan(0);
    expect(catalogue.resources.length).toBeGreaterThan(0);
    expect(catalogue.templates.length).toBeGreaterThan(0);
    expect(catalogue).toMatchObject({ completions: true, defects: [] });
    expect(catalogue.instructions).toContain("Everything");
    const heard: string[] = [];
    const answer = await call(server, "trigger-long-running-operation", '{"duration":0.3,"steps":3}', {
      listener: { progress: (members) => heard.push(members) },
    });
    expect(answer).toMatchObject({ kind: "result", isError: false });
    expect(heard.at(-1)).toBe('"progress":3,"total":3');
    const uri = JSON.stringify(catalogue.resources[0]?.uri);
    const read = await server.send({
      method: "resources/read",
      name: "",
      params: rawMembers(`"uri":${uri}`),
      meta: rawMembers(""),
      signal: never,
      listener: { progress: () => {}, log: () => {}, level: () => null },
      asker: NOBODY,
      owner: "somebody",
      input: null,
      late: () => () => {},
    });
    expect(read.json).toContain(uri);
  });

  it("reads a file through server-filesystem", async () => {
    const folder = await mkdtemp(join(tmpdir(), "legs-"));
    try {
      await writeFile(join(folder, "a.txt"), "schön ☃");
      const server = await connect([packageBin("mcp-server-filesystem"), folder]);
      const answer = await call(server, "read_text_file", JSON.stringify({ path: join(folder, "a.txt") }));
      expect(answer.json).toContain("schön ☃");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("lists server-memory and pings it", async () => {
    const server = await connect([packageBin("mcp-server-memory")]);
    expect((await server.list(never)).tools.map((tool) => tool.name)).toContain("read_graph");
    await server.ping(5_000);
  });
});

describe("a modern server over stdio", () => {
  it("is recognised, listed and called, with progress, logs and change notices", async () => {
    let changes = 0;
    const server = await connect([fixture("raw-modern.mjs"), "stdio"], {
      events: { ...NO_EVENTS, listChanged: () => changes++ },
    });
    expect(server).toMatchObject({ era: "modern", serverVersion: "2.0.1" });
    const catalogue = await server.list(never);
    expect(catalogue.tools.map((tool) => tool.name)).toContain("steps");
    expect(catalogue).toMatchObject({ prompts: [{ name: "greet" }], resources: [], instructions: "modern words" });
    const heard: string[] = [];
    const hear = (text: string): void => void heard.push(text);
    const listener = { progress: hear, log: hear, level: () => "info" };
    const answer = await call(server, "steps", '{"steps":1}', { listener, meta: '"traceparent":"00-ab"' });
    expect(answer.json).toContain("00-ab");
    expect(heard).toEqual(['"progress":1,"total":1', expect.stringContaining('"data":"step 1"')]);
    await server.ping(5_000);
    await call(server, "change");
    await expect.poll(() => changes).toBeGreaterThan(0);
  });
});

describe("lists without end", () => {
  it.each([
    ["endless-list", 100, "tools/list: more than 100 pages; the rest is left out"],
    ["long-list", 10_000, "tools/list: more than 10000 entries; the rest is left out"],
  ])("are cut (%s), and the cut is named", async (behaviour, count, defect) => {
    const server = await connect([fixture("raw-server.mjs"), behaviour]);
    const { tools, defects } = await server.list(never);
    expect(tools).toHaveLength(count);
    expect(defects).toContain(defect);
  });
});

describe("the opening", () => {
  it("asks for a fresh start without the probe when the probe made the server exit", async () => {
    const raw = fixture("raw-server.mjs");
    await expect(connect([raw, "exit-on-discover"])).rejects.toThrow(ExitedDuringProbe);
    const again = await connect([raw, "exit-on-discover"], { eras: KNOWN_LEGACY });
    expect(again).toMatchObject({ era: "legacy", serverVersion: "9.9" });
  });

  it("takes a server that does not answer the probe for a legacy one", async () => {
    expect((await connect([fixture("raw-server.mjs"), "silent-on-discover"])).era).toBe("legacy");
  });

  it("recognises a modern server that is slow to start by its late answer", async () => {
    const late = `setTimeout(() => import(${JSON.stringify(fixture("raw-modern.mjs"))}), 3500)`;
    const server = await connect(["-e", late]);
    expect(server.era).toBe("modern");
    expect((await call(server, "echo", '{"text":"late"}')).json).toContain("late");
  });

  it("names the exit of a server that cannot start", async () => {
    await expect(connect(["-e", "process.exit(4)"], { eras: KNOWN_LEGACY })).rejects.toThrow("exited with code 4");
  });

  it("ends when it is given up", async () => {
    const signal = AbortSignal.timeout(100);
    await expect(connect([fixture("raw-server.mjs"), "mute"], { signal })).rejects.toThrow("cancelled");
  });
});
