/** The file of a workspace while the host runs: what is written into it holds, by a person's hand as by a command. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";
import { apiClient, keyFor, whenRunning, type ApiClient } from "./workspace-client-for-tests.ts";

const SERVER = { args: [join(FIXTURES, "bundle-server.mjs")] };
const PATIENT = { timeout: 20_000, interval: 100 };

let host: Served;
let owner: ApiClient;
/** The owner, in that workspace. */
let lab: ApiClient;
/** A member whose key is of the default workspace. */
let ann: ApiClient;
let annKey: string;

beforeAll(async () => {
  host = await serve({
    bundles: { spare: SERVER },
    workspaces: { ws_lab: { members: ["person:ann"], bundles: { first: SERVER } } },
  });
  owner = apiClient(host.origin, host.key);
  lab = apiClient(host.origin, host.key, "ws_lab");
  annKey = await keyFor(owner, { name: "ann", as: "person:ann" });
  ann = apiClient(host.origin, annKey, "ws_lab");
  await whenRunning(ann, "first");
});
afterAll(() => host.stop());

const file = (): string => join(host.workDir, "workspaces", "ws_lab", "workspace.json");
const read = (): Record<string, any> => JSON.parse(readFileSync(file(), "utf8")) as Record<string, any>;
const edit = (more: object): void => writeFileSync(file(), JSON.stringify({ ...read(), ...more }));
const names = async (client: ApiClient): Promise<string[]> => {
  const { apps } = (await client.ask("GET", "/v1/apps")).json as { apps: { name: string }[] };
  return apps.map(({ name }) => name);
};
/** What its operator was told since the first event, until that is there. */
const heard = async (until: string): Promise<string> => {
  const headers = { authorization: `Bearer ${host.key}`, "x-workspace-id": "ws_lab", "last-event-id": "0" };
  const said = await fetch(`${host.origin}/v1/events`, { headers, signal: AbortSignal.timeout(20_000) });
  let text = "";
  for await (const chunk of said.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(until)) return text;
  }
  throw new Error(`the stream ended: ${text}`);
};
const spare = (): string => join(host.workDir, "..", "bundles", "spare");

describe("what a person writes into the file of a workspace", () => {
  it("starts and stops bundles there and nowhere else, and its operator is told", async () => {
    const before = read()["bundles"] as object[];
    edit({ bundles: [...before, { path: spare(), serverName: "second" }] });
    await expect.poll(() => names(ann), PATIENT).toEqual(["first", "second"]);
    await whenRunning(ann, "second");
    expect(await heard("event: config.reloaded")).toContain("second");
    expect(await names(owner)).toEqual(["spare"]);
    edit({ bundles: before });
    await expect.poll(() => names(ann), PATIENT).toEqual(["first"]);
  });

  it("changes nothing while it cannot be used, and says why", async () => {
    const good = readFileSync(file(), "utf8");
    writeFileSync(file(), good.replace('"members"', '"members": 7, "was"'));
    expect(await heard("event: config.rejected")).toContain("/members");
    expect(await names(ann)).toEqual(["first"]);
    const no = await lab.ask("POST", "/v1/reload");
    expect([no.status, no.text]).toEqual([400, expect.stringContaining("/members")]);
    writeFileSync(file(), good);
    expect((await lab.ask("POST", "/v1/reload")).status).toBe(200);
  });
});

describe("a bundle that is installed into a workspace", () => {
  it("is written into its file, and taken out of it again", async () => {
    const added = await lab.ask("POST", "/v1/apps/install", { path: spare(), serverName: "added" });
    expect([added.status, added.text]).toEqual([expect.any(Number), expect.stringContaining("added")]);
    await whenRunning(ann, "added");
    expect(read()["bundles"]).toMatchObject([{ serverName: "first" }, { path: spare(), serverName: "added" }]);
    expect(read()["members"]).toEqual(["person:ann"]);
    expect(await names(owner)).toEqual(["spare"]);
    const gone = await lab.ask("DELETE", "/v1/apps/added");
    expect(gone.json).toMatchObject({
      uninstalled: true,
      dataPath: expect.stringContaining(join("ws_lab", "data", "added")),
    });
    expect(read()["bundles"]).toMatchObject([{ serverName: "first" }]);
  });

  it("is not for members to install who may not steer bundles", async () => {
    const no = await ann.ask("POST", "/v1/apps/install", { path: spare(), serverName: "added" });
    expect(no.status).toBe(403);
    expect(await names(ann)).toEqual(["first"]);
  });
});

describe("who is taken out of the members", () => {
  it("is out: of the next request, and of the stream that was open", async () => {
    const headers = { authorization: `Bearer ${annKey}`, "x-workspace-id": "ws_lab" };
    const said = await fetch(`${host.origin}/v1/events`, { headers, signal: AbortSignal.timeout(25_000) });
    const over = said.text();
    edit({ members: [] });
    await expect.poll(async () => (await ann.ask("GET", "/v1/tools")).status, PATIENT).toBe(404);
    await lab.ask("POST", "/v1/apps/first/stop");
    expect(await over).not.toContain("bundle.stopped");
  });
});
