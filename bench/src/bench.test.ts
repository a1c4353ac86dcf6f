/**
 * The bench measures real processes; these tests look at what it says, never at how fast anything was.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { stopAll } from "./launch.ts";
import { measure } from "./measure.ts";
import { isAlive, readTree } from "./process-tree.ts";
import { runSubject } from "./run-subject.ts";
import { BASELINES, GATEWAYS } from "./subjects.ts";
import type { Subject } from "./subject.ts";
import { QUICK } from "./timing.ts";

const BRIEF = { ...QUICK, warmUpMs: 50, windowMs: 200 };
const homes: string[] = [];
const servers: Server[] = [];

const makeHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "bailiwick-bench-"));
  homes.push(home);
  return home;
};

const find = (id: string): Subject => {
  const subject = [...BASELINES, ...GATEWAYS].find((one) => one.id === id);
  if (subject === undefined) throw new Error(`no subject ${id}`);
  return subject;
};

afterEach(async () => {
  await stopAll();
  for (const server of servers.splice(0)) server.close();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

test.each(["bare", "supergateway-sse"])("%s is measured at 1, 32 and 64 in flight and nothing is wrong", async (id) => {
  const { loads } = await runSubject(find(id), makeHome(), BRIEF);
  if ("failure" in loads) throw new Error(loads.failure);
  expect(loads.value.map(({ inFlight, load }) => [inFlight, load.wrong])).toEqual([
    [1, 0],
    [32, 0],
    [64, 0],
  ]);
  for (const { load } of loads.value) {
    expect(load.calls).toBeGreaterThan(0);
    expect(load.p99Ms).toBeGreaterThanOrEqual(load.p50Ms);
    expect(load.treeRssBytes).toBeGreaterThan(load.rootRssBytes ?? 0);
  }
});

test("nothing that was started is left when a subject has been measured", async () => {
  const { launched } = await find("bare").start(makeHome());
  const started = readTree(launched.pid)?.processes ?? [];
  expect(started.length).toBe(2);
  await launched.stop();
  expect(started.filter(isAlive)).toEqual([]);
});

test("a subject that cannot start is reported with what it said", async () => {
  const broken: Subject = {
    ...find("bare"),
    start: () => Promise.reject(new Error("it ended; it said: no such option")),
  };
  const { loads } = await runSubject(broken, makeHome(), BRIEF);
  expect(loads).toEqual({ failure: "it ended; it said: no such option" });
});

test("an answer that is not the echo of its own call is counted as wrong and shown", async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id } = JSON.parse(body || "{}") as { id?: number };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "same for all" }] } }),
      );
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const load = await measure({
    target: { url, headers: {}, wire: "http", tool: "echo" },
    work: { kind: "call" },
    inFlight: 4,
    ...BRIEF,
    rootPid: process.pid,
  });
  expect(load.wrong).toBeGreaterThan(0);
  expect(load.calls).toBe(0);
  expect(load.firstWrong).toContain("same for all");
});
