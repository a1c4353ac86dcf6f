/** What the file of a workspace decides while the host runs: whose key opens it, and what becomes of its bundles without it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const PATIENT = { timeout: 20_000, interval: 50 };
const LAB = { "x-workspace-id": "ws_lab" };

const fileOf = (place: Place, id = "ws_lab"): string => join(place.workDir, "workspaces", id, "workspace.json");
const put = (place: Place, content: object | string): void => {
  mkdirSync(dirname(fileOf(place)), { recursive: true });
  writeFileSync(fileOf(place), typeof content === "string" ? content : JSON.stringify(content));
};
const by = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });
const tools = async (host: WholeHost, headers: Record<string, string>): Promise<number> =>
  (await host.rest("GET", "/v1/tools", undefined, headers)).status;

describe("a key of a workspace", () => {
  test("is made only where the workspace is there and its holder a member", async () => {
    const place = makePlace();
    place.configure({});
    put(place, { members: ["person:ann"] });
    const host = await place.start();
    const refusalOf = async (key: object): Promise<string> => {
      const { status, json } = await host.rest("POST", "/v1/keys", key);
      expect(status).toBe(400);
      return `${json.message} ${json.remedy}`;
    };
    const none = await refusalOf({ name: "a", workspace: "ws_none" });
    expect(none).toContain("There is no workspace ws_none. Make workspaces/ws_none/workspace.json");
    const stranger = await refusalOf({ name: "a", as: "agent:bot", for: "person:bob", workspace: "ws_lab" });
    expect(stranger).toContain('Add "agent:bot" or "person:bob" to "members" in workspaces/ws_lab/workspace.json');
    await expect(host.keys.create({ name: "a", workspace: "ws_lab" })).rejects.toMatchObject({ kind: "bad_request" });
    expect(place.evidence("key_create_asked")).toEqual([]);
    for (const [name, who] of [
      ["b", { as: "person:ann" }],
      ["c", { as: "agent:bot", for: "person:ann" }],
      ["d", { permissions: ["*"] }],
    ] as const) {
      expect((await host.rest("POST", "/v1/keys", { name, ...who, workspace: "ws_lab" })).status).toBe(201);
    }
  });

  test("opens nothing once its holder is no member, or the workspace is gone, on any door", async () => {
    const place = makePlace();
    place.configure({});
    put(place, { members: ["person:ann"] });
    const host = await place.start();
    const { secret } = await host.keys.create({ name: "ann", as: "person:ann", workspace: "ws_lab" });
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    const enter = async (): Promise<number> => {
      const accept = { accept: "application/json, text/event-stream" };
      const headers = { ...by(secret), ...accept, "content-type": "application/json" };
      const body = JSON.stringify(initialize);
      return (await fetch(`${host.origin}/mcp`, { method: "POST", headers, body })).status;
    };
    expect([await tools(host, by(secret)), await enter()]).toEqual([200, 200]);
    put(place, { members: ["person:bob"] });
    await expect.poll(() => tools(host, by(secret)), PATIENT).toBe(404);
    expect(await enter()).toBe(404);
    const answers = await Promise.all(
      [{}, LAB, { "x-workspace-id": "ws_none" }, { "x-workspace-id": "ws_default" }].map((where) =>
        host.rest("GET", "/v1/tools", undefined, { ...by(secret), ...where }),
      ),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await tools(host, LAB)).toBe(200);
    expect(await tools(host, by("bw_nobody"))).toBe(401);
    put(place, { members: ["person:ann"] });
    await expect.poll(() => tools(host, by(secret)), PATIENT).toBe(200);
    rmSync(fileOf(place));
    await expect.poll(() => tools(host, by(secret)), PATIENT).toBe(404);
    expect(await tools(host, LAB)).toBe(404);
    expect((await host.keys.list()).map(({ name }) => name)).toEqual(["ann"]);
  });

  test("does not show where a file lies that cannot be used; the owner's does", async () => {
    const place = makePlace();
    place.configure({});
    put(place, { members: ["person:ann"] });
    const before = await place.start();
    const { secret } = await before.keys.create({ name: "ann", as: "person:ann", workspace: "ws_lab" });
    await before.stop();
    put(place, { members: ["person:ann", 7] });
    const host = await place.start();
    const hidden = await host.rest("GET", "/v1/tools", undefined, by(secret));
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden.json)).not.toContain(place.dir);
    const told = await host.rest("GET", "/v1/tools", undefined, LAB);
    expect([told.status, told.json.message]).toEqual([503, expect.stringContaining(`${fileOf(place)}: /members/1`)]);
  });
});

test("a workspace whose file is gone for a moment keeps its bundles, and its operator is told", async () => {
  const place = makePlace();
  place.configure({});
  const content = { bundles: [{ path: place.bundle("steady"), serverName: "steady" }], noDefaultBundles: true };
  put(place, content);
  const host = await place.start();
  const state = async (): Promise<unknown> => (await host.rest("GET", "/v1/apps/steady", undefined, LAB)).json.status;
  await expect.poll(state, PATIENT).toBe("running");
  const reloads = (): number => place.evidence("config_reloaded").length;
  put(place, { ...content, name: "Lab" });
  await expect.poll(reloads, PATIENT).toBe(1);
  rmSync(fileOf(place));
  await expect.poll(() => place.evidence("config_rejected").length, PATIENT).toBeGreaterThan(0);
  expect(place.evidence("config_rejected")[0]?.payload).toMatchObject({
    workspace: "ws_lab",
    errors: [expect.stringContaining("not there any more")],
  });
  put(place, content);
  await expect.poll(reloads, PATIENT).toBe(2);
  expect(place.evidence("bundle_stopped")).toEqual([]);
  expect([await state(), place.marks("steady").length]).toEqual(["running", 1]);
});

test("changes of one workspace are not counted in another's", async () => {
  const place = makePlace();
  place.configure({ bundles: [{ path: place.bundle("here"), serverName: "here" }] });
  put(place, { bundles: [{ path: place.bundle("there"), serverName: "there" }], noDefaultBundles: true });
  const host = await place.start();
  await host.until("here", "running");
  const state = async (): Promise<unknown> => (await host.rest("GET", "/v1/apps/there", undefined, LAB)).json.status;
  await expect.poll(state, PATIENT).toBe("running");
  const heard = await host.follow(0);
  const versions = (): unknown[] =>
    heard.filter(({ type }) => type === "surface.changed").map(({ data }) => data["version"]);
  await expect.poll(() => versions().length, PATIENT).toBeGreaterThan(0);
  const known = versions().length;
  await host.rest("POST", "/v1/apps/there/restart", {}, LAB);
  await host.rest("POST", "/v1/apps/here/stop", {});
  await expect.poll(() => versions().length, PATIENT).toBeGreaterThan(known);
  expect(versions()).toEqual(versions().map((_, at) => at + 1));
});
