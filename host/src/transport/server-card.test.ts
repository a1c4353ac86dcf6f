import { afterEach, expect, it } from "vitest";
import { knock } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
afterEach(() => door.listener.close());

const card = (headers: Record<string, string> = {}) =>
  knock(door.origin, { method: "GET", path: "/mcp/server-card", headers });

it("tells without a credential where to connect and in which revisions, and names no tool", async () => {
  door = await openTestDoor({ limits: { publicOrigin: null } });
  const { status, headers, text } = await card();
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("application/mcp-server-card+json");
  expect(JSON.parse(text)).toMatchObject({
    name: "dev.bailiwick/host",
    remotes: [{ type: "streamable-http", url: `${door.origin}/mcp` }],
  });
  expect(JSON.parse(text).remotes[0].supportedProtocolVersions).toContain("2026-07-28");
  expect(text).not.toContain("p__echo");
});

it("names the public origin when there is one", async () => {
  door = await openTestDoor();
  expect(JSON.parse((await card()).text).remotes[0].url).toBe("https://public.example/mcp");
});

it("is checked for Host and Origin like everything else", async () => {
  door = await openTestDoor();
  expect((await card({ host: "evil.example" })).status).toBe(421);
  expect((await card({ origin: "https://evil.example" })).status).toBe(403);
});
