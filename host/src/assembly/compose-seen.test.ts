import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { patternConfig } from "../compose/configs/configs-for-tests.ts";
import { openView, UNASKED, type Json } from "./compose-view-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const keyFor = async (host: WholeHost, scopes: readonly string[]): Promise<string> => {
  const { status, json } = await host.rest("POST", "/v1/keys", { name: `k${scopes.length}`, scopes });
  expect(status).toBe(201);
  return json.secret as string;
};

const plugIn = (place: Place, name: string, text: string): void => {
  const dir = join(place.workDir, "plugins", "generators");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${name}.generator.mjs`), text);
};

test("a key that may not use compose reads what every host has, and nothing of this one's plug-ins or paths", async () => {
  const place = makePlace();
  place.configure({ ...UNASKED, bundles: [{ path: place.bundle("echo") }] });
  plugIn(place, "billing", 'export default { type: "billing", version: "1.0.0", generate: () => "x" };');
  plugIn(place, "lost", 'import "./nowhere.mjs";');
  const host = await place.start();
  const [narrow, owner] = [await openView(host, { key: await keyFor(host, ["echo__*"]) }), await openView(host)];
  const seen = await owner.read("capabilities://generators");
  expect(Object.keys(seen["generators"])).toContain("billing");
  expect(seen["metadata"]).toMatchObject({ plugin_count: 1, rejected: [{ plugin_path: "lost.generator.mjs" }] });
  expect(JSON.stringify(seen)).not.toContain(place.dir);

  const cut = await narrow.read("capabilities://generators");
  expect(cut["metadata"]).toMatchObject({ generator_count: 5, builtin_count: 5, plugin_count: 0, rejected: [] });
  expect((await narrow.read("capabilities://server"))["generator_count"]).toBe(5);
  for (const { docs_uri: uri } of Object.values<Json>(cut["generators"]))
    expect(await narrow.read(uri)).toMatchObject({ source: "builtin" });
  const no = await narrow.ask("resources/read", { uri: "generator://billing" });
  expect(no["error"]).toMatchObject({ code: -32002, data: { kind: "resource_not_found" } });
  expect(JSON.stringify(no["error"].data.known)).not.toContain("billing");
  expect(Object.keys((await narrow.read("capabilities://resources"))["resources"])).toEqual(
    expect.arrayContaining(["schema", "generator", "capabilities"]),
  );
  for (const uri of ["content://", "config://content/"])
    expect((await narrow.ask("resources/read", { uri }))["error"].data.kind).toBe("resource_not_found");
});

test("what cannot work is told as absent: without a root there is no config lifecycle, without a CHP door no manifest", async () => {
  const place = makePlace();
  place.configure({ ...UNASKED, capabilities: { roots: { list: [] } }, chp: { mount: "/other" } });
  const host = await place.start();
  const { json: server } = await host.rest("GET", "/v1/capabilities/server");
  expect(server.features).toMatchObject({
    content_generation: true,
    config_lifecycle: false,
    artifact_assembly: false,
    ephemeral_storage: true,
  });
  const { json: about } = await host.rest("GET", "/v1/capabilities/host");
  expect((await host.rest("GET", about.manifest)).status).toBe(200);
});

test("on another provider's endpoint the documents are not there, so a client goes on with tools/list", async () => {
  const place = makePlace();
  place.configure(UNASKED);
  const view = await openView(await place.start(), { path: "/mcp/providers/files" });
  const { error } = await view.ask("resources/read", { uri: "capabilities://server" });
  expect(error).toMatchObject({ code: -32002, data: { kind: "resource_not_found", uri: "capabilities://server" } });
  expect((await view.list("tools/list", "tools")).length).toBeGreaterThan(0);
});

test("a text of 6 MB is made, answered whole, and used by batch and assembly as what it is", async () => {
  const place = makePlace();
  place.configure(UNASKED);
  const host = await place.start();
  const root = join(place.workDir, "workspaces", "ws_default", "project");
  const big = "a line of text\n".repeat(400_000);
  writeFileSync(join(root, "big.txt"), big);
  const config = patternConfig(
    { template: "{{big}}" },
    { id: "big", inputs: { sources: [{ id: "big", source_type: "external_file", source_locator: "big.txt" }] } },
  );
  const view = await openView(host);
  const { draft_id: draft } = await view.call("compose__draft_config", { config_type: "content", config_data: config });
  await view.call("compose__save_config", { draft_id: draft, config_id: "big" });
  const made = await view.call("compose__generate_content", { content_config_id: "big" });
  expect([made["success"], made["status"], made["content"].length]).toEqual([true, "generated", big.length]);
  expect(await view.call("compose__batch_generate_content", { content_ids: ["big"], force: true })).toMatchObject({
    success: true,
    status: "batch_complete",
    generated: 1,
  });
  expect(place.evidence().filter(({ event_type: type }) => type === "execution_failed")).toEqual([]);
  const stored = await view.call("compose__query_ephemeral_storage", { content_id: "big", strategy: "all" });
  expect(stored).toMatchObject({ total: 2, entries: [{ size_bytes: big.length }, { size_bytes: big.length }] });
});
