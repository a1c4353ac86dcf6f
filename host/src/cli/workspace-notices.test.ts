/** What members hear without asking: news of their own workspace and of no other, in both eras and over REST. */
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIXTURES, serve, type BundleOrder, type Served } from "./serve-for-tests.ts";
import { taskClient } from "./task-client-for-tests.ts";
import { apiClient, keyFor, whenRunning, type ApiClient } from "./workspace-client-for-tests.ts";

const server = (tools: string): BundleOrder => ({
  args: [join(FIXTURES, "bundle-server.mjs")],
  env: { FIXTURE_TOOLS: tools },
  entry: { pinning: "warn" },
});
const TASKS = { args: [join(FIXTURES, "conformance", "server.mjs"), "--era", "modern", "--transport", "stdio"] };

let host: Served;
let owner: ApiClient;
let ann: string;
let annHere: string;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  host = await serve({
    config: { noDefaultBundles: true },
    bundles: { here: server("tools-of-default"), tasks: TASKS },
    workspaces: { ws_lab: { members: ["person:ann"], bundles: { there: server("tools-of-lab"), tasks: TASKS } } },
  });
  owner = apiClient(host.origin, host.key);
  ann = await keyFor(owner, { name: "ann-lab", as: "person:ann", workspace: "ws_lab" });
  annHere = await keyFor(owner, { name: "ann", as: "person:ann" });
  await whenRunning(apiClient(host.origin, ann), "there", "tasks");
});
afterAll(async () => {
  for (const end of ending) await end();
  await host.stop();
});

/** Clients of each era with this key; each tells how often it heard that the tools are not what they were. */
const listeners = async (key: string): Promise<(() => number)[]> => {
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const url = new URL(host.mcpUrl);
  const heard = [0, 0];
  const legacy = new LegacySdk({ name: "tests", version: "1" });
  legacy.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard[0]! += 1));
  await legacy.connect(new LegacyTransport(url, { requestInit }));
  const modern = new ModernSdk(
    { name: "tests", version: "1" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (heard[1]! += 1) } },
    },
  );
  await modern.connect(new ModernTransport(url, { requestInit }));
  ending.push(
    () => legacy.close(),
    () => modern.close(),
  );
  return [() => heard[0]!, () => heard[1]!];
};

/** All events of a workspace from now on. */
const follow = async (key: string): Promise<() => string> => {
  const left = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const said = await fetch(`${host.origin}/v1/events`, { headers, signal: left.signal });
  let text = "";
  const reading = (async () => {
    for await (const chunk of said.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  })().catch(() => {});
  ending.push(() => {
    left.abort();
    return reading;
  });
  return () => text;
};

const PATIENT = { timeout: 20_000, interval: 50 };

describe("a change in one workspace", () => {
  it("is told to its members, and others hear of the next change in their own first", async () => {
    const inLab = await listeners(ann);
    const outside = await listeners(annHere);
    const [labEvents, ownEvents] = [await follow(ann), await follow(annHere)];
    await apiClient(host.origin, ann).call("there__grow");
    for (const heard of inLab) await expect.poll(heard, PATIENT).toBeGreaterThan(0);
    await expect.poll(labEvents, PATIENT).toContain("event: surface.changed");
    await apiClient(host.origin, host.key, "ws_lab").ask("POST", "/v1/apps/there/stop");
    await expect.poll(labEvents, PATIENT).toContain("event: bundle.stopped");
    expect(outside.map((heard) => heard())).toEqual([0, 0]);
    await owner.ask("POST", "/v1/apps/here/stop");
    for (const heard of outside) await expect.poll(heard, PATIENT).toBeGreaterThan(0);
    await expect.poll(ownEvents, PATIENT).toContain("event: bundle.stopped");
    expect(ownEvents()).toContain('"here"');
    expect(ownEvents()).not.toContain("there");
    expect(labEvents()).toContain('"there"');
    expect(labEvents()).not.toContain('"here"');
  });
});

describe("a task", () => {
  it("is there in the workspace that it was begun in, and unknown to the same person in another", async () => {
    const [there, here] = [taskClient(host.origin, ann), taskClient(host.origin, annHere)];
    const id = await there.begin("tasks__slow_compute", { seconds: 0.2, label: "x" });
    const foreign = await here.ask("tasks/get", { taskId: id });
    const unknown = await here.ask("tasks/get", { taskId: `tk_${"0".repeat(32)}` });
    const said = [foreign, unknown].map(({ error }) => JSON.stringify(error).replace(/evt_c1_[0-9a-f]+/, "evidence"));
    expect(said[0]).toBe(said[1]);
    expect(await there.until(id, (status) => status === "completed")).toMatchObject({ taskId: id });
  });
});
