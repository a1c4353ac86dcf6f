/** Bundles installed and removed while the host runs. What fails at any step leaves neither process nor entry nor provider. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAlive, until } from "../bundles/bundles-for-tests.ts";
import { makeArchive } from "../bundles/sources/archive-for-tests.ts";
import { sendJson, startRegistry } from "../bundles/sources/sources-for-tests.ts";
import { holdEvidence, makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const begin = async (config: object = {}): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  place.bundle("fresh");
  place.configure({ bundles: [], ...config });
  return { place, host: await place.start() };
};

const install = (host: WholeHost, entry: object): ReturnType<WholeHost["rest"]> =>
  host.rest("POST", "/v1/apps/install", entry);

const expectNothingLeft = async (place: Place, host: WholeHost, name = "fresh"): Promise<void> => {
  expect(place.configured().bundles).toEqual([]);
  expect(host.stateOf(name)).toBeNull();
  expect((await host.rest("GET", `/v1/apps/${name}`)).status).toBe(404);
  expect(place.marks(name).filter(isAlive)).toEqual([]);
  expect(existsSync(join(place.workDir, "workspaces", "ws_default", "pins", `${name}.json`))).toBe(false);
};

describe("an install that fails leaves nothing", () => {
  it("where there is no such package", async () => {
    const { place, host } = await begin({ registries: [] });
    expect(await install(host, { path: "nowhere" })).toMatchObject({ status: 422, json: { error: "install_refused" } });
    expect(await install(host, { name: "@acme/none" })).toMatchObject({ status: 422 });
    await expectNothingLeft(place, host, "nowhere");
    await expectNothingLeft(place, host, "none");
  });

  it("where the archive is not the one that the registry promised", async () => {
    const archive = await makeArchive("@acme/fresh", "1.0.0");
    const registry = await startRegistry((_, response, url) => {
      if (url.pathname.endsWith("/download")) {
        const bundle = { name: "@acme/fresh", version: "1.0.0", sha256: "0".repeat(64), size: archive.length };
        return sendJson(response, { url: "/file", bundle });
      }
      if (url.pathname === "/file") return void response.end(archive);
      return sendJson(response, { name: "@acme/fresh", latest_version: "1.0.0", versions: [{ version: "1.0.0" }] });
    });
    const registries = [{ type: "mpak", url: registry.url }];
    const { place, host } = await begin({ registries, allowInsecureRemotes: true });
    const answer = await install(host, { name: "@acme/fresh" });
    expect(answer).toMatchObject({
      status: 422,
      json: { error: "install_refused", data: { details: { expected: `sha256:${"0".repeat(64)}` } } },
    });
    await expectNothingLeft(place, host);
  });

  it("where a value that it needs is missing, naming the field; given with it, it is installed", async () => {
    const { place, host } = await begin();
    const field = { type: "string", title: "Key", description: "A key", required: true, sensitive: true };
    place.bundle("fresh", { user_config: { key: field, other: { ...field, required: false } } });
    const refused = await install(host, { path: "fresh" });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: "credentials_required", data: { details: { fields: ["key"] } } },
    });
    expect(refused.json.remedy).toContain("--set key=");
    expect(place.marks("fresh")).toEqual([]);
    await expectNothingLeft(place, host);
    expect(await install(host, { path: "fresh", userConfig: { key: "k" } })).toMatchObject({ status: 201 });
  });

  it("where it ends at its start, with its last words", async () => {
    const { place, host } = await begin();
    place.bundle("fresh", {}, { STEERED_EXIT: "no database here" });
    const answer = await install(host, { path: "fresh" });
    expect(answer).toMatchObject({ status: 503, json: { error: "not_ready" } });
    expect(answer.json.message).toContain("no database here");
    await expectNothingLeft(place, host);
  });

  it("where the configuration cannot be written", async () => {
    const { place, host } = await begin();
    const inTheWay = join(place.dir, `bailiwick.json.${process.pid}.new`);
    mkdirSync(inTheWay);
    const answer = await install(host, { path: "fresh" });
    expect(answer).toMatchObject({ status: 422, json: { error: "install_refused" } });
    expect(answer.json.message).toContain("bailiwick.json could not be written");
    expect(place.marks("fresh")).toHaveLength(1);
    await expectNothingLeft(place, host);
    rmSync(inTheWay, { recursive: true });
    expect((await install(host, { path: "fresh" })).status).toBe(201);
    await host.bundles.stop("fresh");
    mkdirSync(inTheWay);
    await expect(host.bundles.uninstall("fresh")).rejects.toMatchObject({ kind: "install_refused" });
    expect(host.stateOf("fresh")).toBe("stopped");
    rmSync(inTheWay, { recursive: true });
  });

  it("where the wish cannot be recorded, and then nothing is even begun", async () => {
    const { place, host } = await begin();
    const release = holdEvidence(place);
    expect(await install(host, { path: "fresh" })).toMatchObject({
      status: 503,
      json: { error: "evidence_unavailable" },
    });
    release();
    expect(place.marks("fresh")).toEqual([]);
    await expectNothingLeft(place, host);
  });

  it("where what was done cannot be recorded", async () => {
    const { place, host } = await begin();
    place.bundle("fresh", {}, { STEERED_HOLD: "1" });
    const answer = install(host, { path: "fresh" });
    await until(() => place.marks("fresh").length === 1);
    const release = holdEvidence(place);
    place.release("fresh");
    expect(await answer).toMatchObject({ status: 503, json: { error: "evidence_unavailable" } });
    release();
    await expectNothingLeft(place, host);
  });
});

it("a host that stops in the middle of an install leaves nothing of it", async () => {
  const { place, host } = await begin();
  place.bundle("fresh", {}, { STEERED_HOLD: "1" });
  const installing = host.bundles.install({ path: "fresh" }).catch((error: unknown) => error);
  await until(() => place.marks("fresh").length === 1);
  await host.stop();
  expect(await installing).toMatchObject({ kind: "not_ready" });
  expect(place.configured().bundles).toEqual([]);
  expect(place.marks("fresh").filter(isAlive)).toEqual([]);
});

describe("an installed bundle", () => {
  it("is written down, recorded and told of once, and a reload has nothing to do", async () => {
    const { place, host } = await begin();
    expect(await install(host, { path: "fresh" })).toMatchObject({
      status: 201,
      json: { name: "fresh", status: "running", toolCount: 3 },
    });
    expect(place.configured().bundles).toEqual([{ path: "fresh" }]);
    expect(await host.bundles.reload()).toMatchObject({ added: [], removed: [], changed: [], needRestart: [] });
    expect(place.marks("fresh")).toHaveLength(1);
    expect(place.evidence("bundle_installed")).toMatchObject([
      { payload: { bundle: "fresh", version: "1.0.0", tools: [{ tool: "echo" }, {}, {}] } },
    ]);
  });

  it("is installed once, also when two ask at once, and its name is taken for others", async () => {
    const { place, host } = await begin();
    place.bundle("other", { name: "@acme/fresh" });
    const both = await Promise.all([install(host, { path: "fresh" }), install(host, { path: "fresh" })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.json).toMatchObject({ error: "already_installed" });
    const other = await install(host, { path: "other" });
    expect(other).toMatchObject({ status: 409, json: { error: "name_taken" } });
    expect(other.json.remedy).toContain("serverName");
    expect(place.configured().bundles).toEqual([{ path: "fresh" }]);
    expect(place.marks("fresh")).toHaveLength(1);
    expect(place.marks("other")).toEqual([]);
    const named = await Promise.all([
      install(host, { path: "other", serverName: "one" }),
      install(host, { path: "other", serverName: "two" }),
    ]);
    expect(named.map(({ status }) => status)).toEqual([201, 201]);
    expect(place.configured().bundles).toHaveLength(3);
  });

  it("keeps its version when somebody wants to install it again", async () => {
    const place = makePlace();
    const shelf = join(place.dir, "shelf");
    mkdirSync(shelf);
    writeFileSync(join(shelf, "one.mcpb"), await makeArchive("@acme/fresh", "1.0.0"));
    place.configure({ bundles: [], registries: [{ type: "dir", path: "shelf" }] });
    const host = await place.start();
    expect(await install(host, { name: "@acme/fresh" })).toMatchObject({ status: 201, json: { version: "1.0.0" } });
    writeFileSync(join(shelf, "two.mcpb"), await makeArchive("@acme/fresh", "2.0.0"));
    expect((await install(host, { name: "@acme/fresh" })).status).toBe(409);
    const second = await install(host, { name: "@acme/fresh", serverName: "second" });
    expect(second).toMatchObject({ status: 201, json: { version: "1.0.0" } });
    await host.bundles.restart("fresh");
    await host.until("fresh", "running");
    expect((await host.rest("GET", "/v1/apps/fresh")).json.version).toBe("1.0.0");
  });
});

describe("an uninstall", () => {
  it("is refused for a protected bundle, by program and over REST, whatever its state", async () => {
    const { place, host } = await begin({ bundles: [{ path: "fresh", protected: true }] });
    await host.until("fresh", "running");
    expect(await host.rest("DELETE", "/v1/apps/fresh")).toMatchObject({ status: 403, json: { error: "protected" } });
    await host.bundles.stop("fresh");
    await expect(host.bundles.uninstall("fresh")).rejects.toMatchObject({
      kind: "protected",
      next: expect.stringContaining("bailiwick.json") as string,
    });
    expect(place.configured().bundles).toHaveLength(1);
    expect(host.stateOf("fresh")).toBe("stopped");
  });

  it("leaves the data, forgets what was accepted and that somebody stopped it", async () => {
    const { place, host } = await begin();
    await install(host, { path: "fresh" });
    const dataPath = join(place.workDir, "workspaces", "ws_default", "data", "fresh");
    writeFileSync(join(dataPath, "kept.txt"), "mine");
    await host.bundles.stop("fresh");
    expect(await host.rest("DELETE", "/v1/apps/fresh")).toEqual({
      status: 200,
      json: { name: "fresh", uninstalled: true, dataPreserved: true, dataPath },
    });
    await expectNothingLeft(place, host);
    expect(existsSync(join(dataPath, "kept.txt"))).toBe(true);
    expect(place.evidence("bundle_uninstalled")).toHaveLength(1);
    place.bundle("fresh", {}, { STEERED_TOOLS: "more" });
    expect(await install(host, { path: "fresh" })).toMatchObject({ status: 201, json: { toolCount: 4, heldTools: 0 } });
    await host.stop();
    const again = await place.start();
    await again.until("fresh", "running");
  });

  it("takes out one of two that say the same", async () => {
    const { place, host } = await begin({ bundles: [{ path: "fresh", env: { A: "1" } }, { path: "fresh" }] });
    await host.until("fresh-2", "refused");
    await host.bundles.uninstall("fresh-2");
    expect(place.configured().bundles).toEqual([{ path: "fresh", env: { A: "1" } }]);
    expect(host.stateOf("fresh")).not.toBeNull();
  });
});
