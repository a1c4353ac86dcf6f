import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { writeDrillBundle } from "./drill-bundle-for-tests.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

let dir: string;
let host: Host;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-state-"));
  host = await createHost({ workDir: join(dir, "work"), noDefaultBundles: true, bundles: [writeDrillBundle(dir)] });
});
afterAll(async () => {
  await host.stop();
  rmSync(dir, { recursive: true, force: true });
});

const events = (): { event_type: string; payload: unknown }[] => {
  const evidence = openEvidence(join(dir, "work"));
  const lines = [...evidence.range(1, evidence.last())];
  evidence.close();
  return lines.map((line) => JSON.parse(line) as { event_type: string; payload: unknown });
};

it("a state that is none of its request is evidence, once a minute, and there alone is said why", async () => {
  const { mcpUrl } = await host.listen({ noAuth: true, port: 0 });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "drill__count", arguments: { n: 1 }, requestState: "bw1.made-up", _meta };
  const headers = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "drill__count",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  for (let i = 0; i < 3; i++) {
    const said = await (await fetch(mcpUrl, { method: "POST", headers, body })).text();
    expect(said).toContain('"reason":"invalid_request_state"');
    expect(said).not.toContain("seal");
  }
  const rejected = await vi.waitUntil(() => {
    const found = events().filter(({ event_type }) => event_type === "dev.bailiwick.state_rejected");
    return found.length > 0 && found;
  });
  expect(rejected.map(({ payload }) => payload)).toMatchObject([{ check: "seal", unwritten_before: 0 }]);
});
