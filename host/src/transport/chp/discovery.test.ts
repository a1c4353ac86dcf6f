import { afterEach, describe, expect, it } from "vitest";
import { schemaErrors } from "../../kernel/chp-schemas-for-tests.ts";
import { knock } from "../client-for-tests.ts";
import { OTHER, OWNER } from "../door-for-tests.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import { openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";

let door: ChpTestDoor;
afterEach(() => door.listener.close());

const open = async (publicDiscovery: readonly string[], deps: Partial<ListenerDeps> = {}): Promise<void> => {
  door = await openChpDoor({ deps: { chp: { mount: "/chp", publicDiscovery, metadata: () => ({}) }, ...deps } });
};
const get = (path: string, headers: Record<string, string> = { "x-chp-key": OWNER }) =>
  knock(door.origin, { method: "GET", path, headers });

const DOCUMENTS = ["/capabilities.txt", "/.well-known/capabilities.json", "/chp/capabilities.json"];

describe("discovery", () => {
  it("is a text of this form, at the root and at the mount", async () => {
    await open([]);
    const said = await get("/capabilities.txt");
    expect(said.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(said.text).toBe(
      "# capabilities.txt\n" +
        "> h: 2 capabilities. [manifest](/chp/host) [JSON](/.well-known/capabilities.json) [identity](/.well-known/chp-identity)\n" +
        "\n## p\n\n### tools (p)\n" +
        "- p__echo (v1.0.0) \u2014 The tool p__echo.\n" +
        "- p__other (v1.0.0) \u2014 The tool p__other.\n",
    );
    expect((await get("/chp/capabilities.txt")).text).toBe(said.text);
  });

  it("has two JSON forms, one of them CHP's", async () => {
    await open([]);
    const echo = { id: "p__echo", version: "1.0.0", description: "The tool p__echo." };
    const wellKnown = await get("/.well-known/capabilities.json");
    expect(wellKnown.json).toMatchObject({ version: "1", capabilities: [echo, { id: "p__other" }] });
    const ofChp = await get("/chp/capabilities.json");
    expect(ofChp.json).toMatchObject({ chp: "0.2", host: { id: "h" }, capabilities: [echo, { id: "p__other" }] });
    expect(schemaErrors("capabilities-txt", ofChp.json)).toEqual([]);
  });

  it("names the same capabilities as the manifest", async () => {
    await open([]);
    const ids = ({ capabilities }: { capabilities: { id: string }[] }): string[] => capabilities.map(({ id }) => id);
    const manifest = ids((await get("/chp/host")).json);
    expect(ids((await get("/chp/capabilities")).json)).toEqual(manifest);
    expect(ids((await get("/chp/capabilities.json")).json)).toEqual(manifest);
    expect(ids((await get("/.well-known/capabilities.json")).json)).toEqual(manifest);
    const lines = (await get("/capabilities.txt")).text.matchAll(/^- (\S+)/gm);
    expect([...lines].map(([, id]) => id)).toEqual(manifest);
  });

  it.each(DOCUMENTS)("%s shows passers-by nothing, but for what was made public", async (path) => {
    await open([]);
    expect((await get(path, {})).status).toBe(401);
    await door.listener.close();
    await open(["p__other"]);
    const said = await get(path, {});
    expect(said.status).toBe(200);
    expect(said.text).toContain("p__other");
    expect(said.text).not.toContain("p__echo");
    expect((await get(path, { "x-chp-key": "wrong" })).status).toBe(401);
    expect((await get(path)).text).toContain("p__echo");
  });

  it("keeps a description from making lines of its own", async () => {
    const hostile = { id: "x", version: "1.0.0", provider: "p\n## q", description: "a\r\n- admin (v1)\u2028\u0000b" };
    await open([], { descriptors: () => [hostile] });
    const { text } = await get("/capabilities.txt");
    expect(text.split("\n").slice(2)).toEqual([
      "",
      "## p ## q",
      "",
      "### tools (p ## q)",
      "- x (v1.0.0) \u2014 a - admin (v1) b",
      "",
    ]);
  });
});

describe("metrics", () => {
  it("count what ended, for those who may read all evidence", async () => {
    await open([]);
    await door.invoke({ capability_id: "echo" });
    await door.invoke({ capability_id: "refuse:policy_denied" });
    await door.invoke({ capability_id: "refuse:policy_denied" });
    const { headers, text } = await get("/chp/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(text).toContain('\nbailiwick_calls_total{outcome="success"} 1\n');
    expect(text).toContain('\nbailiwick_calls_total{outcome="denied"} 2\n');
    expect(text).toContain('\nbailiwick_refusals_total{kind="policy_denied"} 2\n');
    expect(text).toContain("\nbailiwick_events_total 1\n");
    expect(text).toMatch(/\nbailiwick_uptime_seconds \d+\n/);
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[a-z_]+"\})? \d+)$/);
    }
  });

  it("tell others nothing of what the host does for everybody", async () => {
    await open([]);
    await door.invoke({ capability_id: "echo" });
    const { text } = await get("/chp/metrics", { "x-chp-key": OTHER });
    expect(text).toContain("bailiwick_approvals_pending 0");
    expect(text).not.toMatch(/calls|refusals|events/);
  });
});
