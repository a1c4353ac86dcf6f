/** Roots of the configuration, for callers that announce none: at every door, for each workspace, and while the host runs. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { modern, JSON_HEADERS, knock } from "../transport/client-for-tests.ts";
import { makeRootedPlace, startRooted } from "./roots-place-for-tests.ts";
import { startGoverned } from "./governed-host-for-tests.ts";

const LAB = { "x-workspace-id": "ws_lab" };
const pathIn = (line: string | undefined): unknown => JSON.parse(line ?? "{}").params.arguments.path;

describe("roots of the configuration", () => {
  it("are what a path means at every door", async () => {
    const { doors, place } = await startRooted();
    for (const { name, call } of doors) {
      const said = await call("ops__open", { path: "workspace://@renders/a%20b.exr" });
      expect([name, said.refused, pathIn(place.lines().at(-1))]).toEqual([name, null, join(place.renders, "a b.exr")]);
    }
    expect(place.lines()).toHaveLength(doors.length);
  });

  it("are told by files__roots, also to a modern client that says it has roots", async () => {
    const { host, place } = await startRooted();
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { roots: {} } };
    const params = { name: "files__roots", arguments: {}, _meta };
    const { json } = await knock(host.origin, modern("tools/call", params, headers));
    const roots = [
      { name: "hero", uri: `file://${place.hero}`, usable: true },
      { name: "renders", uri: `file://${place.renders.replace(" ", "%20")}`, usable: true },
    ];
    expect(json.result.structuredContent).toEqual({ supports_roots: false, count: 2, roots });
    expect((await host.rest("GET", "/v1/roots")).json).toMatchObject({ profile: "strict", count: 2, roots });
  });

  it("are told by name alone to who does not administer the host, and resolved for nobody else", async () => {
    const { host, place, agent } = await startRooted();
    const as = { authorization: `Bearer ${agent}` };
    const { status, json } = await host.rest("GET", "/v1/roots", undefined, as);
    expect([status, json.roots.map(({ uri }: any) => uri)]).toEqual([
      200,
      ["workspace://@hero/", "workspace://@renders/"],
    ]);
    expect(JSON.stringify(json)).not.toContain(place.dir);
    expect((await host.rest("POST", "/v1/roots/resolve", { path: "workspace://a" }, as)).status).toBe(403);
    for (const body of [{}, { path: 1 }, { path: "a", more: 1 }])
      expect([body, (await host.rest("POST", "/v1/roots/resolve", body)).status]).toEqual([body, 400]);
  });

  it("that cannot be used are listed with the reason, and the first that can is the first root", async () => {
    const list = [
      { name: "no/name", path: "projects" },
      { name: "share", path: "file://server/share" },
      { name: "hero", path: "projects/hero" },
      { name: "hero", path: "projects/My Renders" },
    ];
    const { host, place } = await startRooted({ roots: { list } });
    const { json } = await host.rest("GET", "/v1/roots");
    expect(json.roots.map(({ usable, reason }: any) => [usable, typeof reason])).toEqual([
      [false, "string"],
      [false, "string"],
      [true, "undefined"],
      [false, "string"],
    ]);
    const { json: resolved } = await host.rest("POST", "/v1/roots/resolve", { path: "workspace://a" });
    expect(resolved).toEqual({ path: "workspace://a", resolved: join(place.hero, "a") });
  });

  it("may be none: then nothing is resolved, and the tool hears that there are none", async () => {
    const { doors, place } = await startRooted({ roots: { list: [] } });
    for (const { name, call } of doors)
      expect([name, (await call("ops__open", { path: "a" })).refused]).toEqual([name, "no_workspace_roots"]);
    const [door] = doors;
    expect((await door?.call("ops__open", { note: "no path" }))?.refused).toBeNull();
    expect(place.lines().map((line) => JSON.parse(line).params._meta.dcc)).toEqual([{ workspace_roots: null }]);
  });

  it("change with the file, from the next call on", async () => {
    const { host, doors, place } = await startRooted();
    const rest = doors.find(({ name }) => name === "REST");
    await rest?.call("ops__open", { path: "a" });
    place.write({ roots: { list: [{ name: "renders", path: "projects/My Renders" }] } });
    await host.bundles.reload();
    await rest?.call("ops__open", { path: "a" });
    expect((await rest?.call("ops__open", { path: "workspace://@hero/a" }))?.refused).toBe("unknown_root");
    expect((await rest?.call("ops__open", { path: join(place.hero, "a") }))?.refused).toBe("path_outside_roots");
    place.write({ roots: { list: [{ name: "renders", path: "projects/My Renders" }], profile: "permissive" } });
    await host.bundles.reload();
    await rest?.call("ops__open", { path: join(place.hero, "a") });
    expect(place.lines().map(pathIn)).toEqual([join(place.hero, "a"), join(place.renders, "a"), join(place.hero, "a")]);
  });
});

describe("where no roots are configured", () => {
  it("each workspace has its own project folder and reaches no other", async () => {
    const place = makeRootedPlace({ roots: {} });
    const file = join(place.workDir, "workspaces/ws_lab/workspace.json");
    mkdirSync(dirname(file), { recursive: true });
    const bundles = [{ path: join(place.dir, "ops") }];
    writeFileSync(file, JSON.stringify({ members: [], noDefaultBundles: true, bundles }));
    const { host } = await startGoverned(place);
    const [own, lab] = ["ws_default", "ws_lab"].map((ws) => join(host.workDir, "workspaces", ws, "project"));
    const open = async (path: string, where: Record<string, string>) => {
      const { status, json } = await host.rest(
        "POST",
        "/v1/tools/call",
        { name: "ops__open", arguments: { path } },
        where,
      );
      return status === 200 ? json.structuredContent.path : json.error;
    };
    await expect.poll(() => open("workspace://a", LAB)).toBe(join(lab ?? "", "a"));
    expect(await open("workspace://a", {})).toBe(join(own ?? "", "a"));
    expect([existsSync(own ?? ""), existsSync(lab ?? "")]).toEqual([true, true]);
    expect(await open(join(own ?? "", "a"), LAB)).toBe("path_outside_roots");
    expect(await open(join(lab ?? "", "a"), {})).toBe("path_outside_roots");
    expect(await open("workspace://../../ws_default/project/a", LAB)).toBe("path_outside_roots");
    const resolve = (path: string) => host.rest("POST", "/v1/roots/resolve", { path }, LAB);
    expect((await resolve("workspace://@project/a")).json.resolved).toBe(join(lab ?? "", "a"));
    expect((await resolve(join(own ?? "", "a"))).json.error).toBe("path_outside_roots");
  });
});
