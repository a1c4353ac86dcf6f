/** What must not pile up: processes and memory, over crashes, reconnects and clients that never say goodbye. */
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";
import { createHeapProbe } from "./heap-probe-for-tests.ts";

const CYCLES = 500;
/** Code is compiled and caches are filled by then. */
const SETTLED = 300;
const SESSIONS = 30;
/** A few kilobytes a crash would be more. */
const MAX_GROWTH_BYTES = 1_500_000;

let drill: Drill;
afterEach(() => drill.clean());

const childrenOf = (pid: number): number =>
  readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid;
    } catch {
      return false;
    }
  }).length;

/** Kills the provider by a call, then waits until a call gets through again. */
const cycle = async (host: Served, n: number): Promise<void> => {
  const lost = await host.call("drill__die", { n });
  expect(lost.body).toMatchObject({ error: "indeterminate" });
  const back = await host.call("drill__count", { n });
  expect(back.status).toBe(200);
};

/** An MCP client that opens a session and its stream and is never heard of again. */
const abandon = (host: Served): Promise<void> =>
  new Promise((resolve, reject) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "gone", version: "0" } };
    const headers = {
      authorization: `Bearer ${host.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const opening = request(`${host.origin}/mcp`, { method: "POST", headers }, (response) => {
      response.resume();
      const session = { ...headers, "mcp-session-id": String(response.headers["mcp-session-id"]) };
      const stream = request(`${host.origin}/mcp`, { headers: session }, (events) => {
        expect(events.statusCode).toBe(200);
        events.on("error", () => {});
        stream.destroy();
        resolve();
      });
      stream.on("error", () => {});
      stream.end();
    });
    opening.on("error", reject);
    opening.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  });

describe("the host in the long run", () => {
  it(`has one process a bundle and no more memory after ${CYCLES} crashes than after ${SETTLED}`, async () => {
    drill = await createDrill(["drill"], {
      restart: { maxCrashes: 1000, windowSeconds: 60, delaysMs: [0], resetAfterSeconds: 30 },
    });
    const probe = createHeapProbe();
    onTestFinished(() => probe.remove());
    const host = await probe.around(() => drill.serve());
    await host.running("drill");
    const children = childrenOf(host.pid);
    for (let n = 0; n < SETTLED; n++) await cycle(host, n);
    const before = await probe.measure(host.pid);
    for (let n = SETTLED; n < CYCLES; n++) await cycle(host, n);
    expect(childrenOf(host.pid)).toBe(children);
    expect((await probe.measure(host.pid)) - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await host.stop()).toBe(0);
    expect(await drill.leftovers(0)).toEqual([]);
  }, 180_000);

  it(`has no more processes after ${SESSIONS} abandoned sessions`, async () => {
    drill = await createDrill(["drill"]);
    const probe = createHeapProbe();
    onTestFinished(() => probe.remove());
    const host = await probe.around(() => drill.serve());
    await host.running("drill");
    await abandon(host);
    const [children, before] = [childrenOf(host.pid), await probe.measure(host.pid)];
    for (let i = 0; i < SESSIONS; i++) await abandon(host);
    expect(childrenOf(host.pid)).toBe(children);
    expect((await probe.measure(host.pid)) - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await host.stop()).toBe(0);
  });
});
