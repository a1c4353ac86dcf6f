import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRunningDocument } from "./read-running-document.ts";
import { announceHost } from "./running-host.ts";

let workDir: string;
let server: Server;
let reply: readonly [status: number, body: string] | null;
const asked: string[] = [];

beforeEach(async () => {
  workDir = mkdtempSync(join(tmpdir(), "bailiwick-document-"));
  asked.length = 0;
  server = createServer((req, res) => {
    if (req.url === "/v1/health") {
      res.end('{"status":"ok"}');
      return;
    }
    const { authorization, "x-workspace-id": workspace } = req.headers;
    asked.push(`${req.method} ${req.url} ${authorization} ${String(workspace)}`);
    if (reply === null) req.socket.destroy();
    else res.writeHead(reply[0], { "content-type": "application/json" }).end(reply[1]);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await announceHost(workDir, { pid: process.pid, origin, noAuth: false, configFile: null });
  writeFileSync(join(workDir, "owner.key"), "bw_owner\n");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(workDir, { recursive: true, force: true });
});

const ORDER = { type: "generators", member: "generators" };

it("a document is asked for with the owner's key, in the workspace that is meant", async () => {
  const document = { generators: { jinja2: {} }, metadata: {} };
  reply = [200, JSON.stringify(document)];
  expect(await readRunningDocument(workDir, ORDER)).toEqual(document);
  await readRunningDocument(workDir, { ...ORDER, type: "a/../b", workspace: "ws_lab" });
  expect(asked).toEqual([
    "GET /v1/capabilities/generators Bearer bw_owner undefined",
    "GET /v1/capabilities/a%2F..%2Fb Bearer bw_owner ws_lab",
  ]);
});

it("a refusal of the host is the same refusal here", async () => {
  const details = { uri: "capabilities://x", known: ["capabilities://"] };
  reply = [404, JSON.stringify({ error: "resource_not_found", message: "No.", remedy: "Read.", data: { details } })];
  await expect(readRunningDocument(workDir, ORDER)).rejects.toMatchObject({
    kind: "resource_not_found",
    message: "No.",
    next: "Read.",
    details,
  });
});

it.each(["", "[]", "null", "{}", '{"generators":[]}', '{"generators":null}', "<html>"])(
  "%j is not taken for a document",
  async (body) => {
    reply = [200, body];
    await expect(readRunningDocument(workDir, ORDER)).rejects.toMatchObject({
      kind: "upstream_failed",
      next: expect.stringContaining("bailiwick serve") as unknown,
    });
  },
);

it("a host that goes away in between is told of, and one that does not run too", async () => {
  reply = null;
  await expect(readRunningDocument(workDir, ORDER)).rejects.toMatchObject({ kind: "indeterminate" });
  await expect(readRunningDocument(join(workDir, "other"), ORDER)).rejects.toMatchObject({
    kind: "not_ready",
    next: "Start it: bailiwick serve",
  });
});
