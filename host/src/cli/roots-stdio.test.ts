/** The protocol's own client with roots on the pipe of `bailiwick mcp`: one of this machine, which is believed within limits. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootOf, type RootedSdk } from "../assembly/roots-place-for-tests.ts";
import { closeHouse, openHouse } from "./doors-for-tests.ts";
import { connectStdio, makeRootedCli } from "./roots-cli-for-tests.ts";

const opened = async (sdk: RootedSdk, path: string): Promise<string> =>
  (await sdk.call("ops__open", { path })).structuredContent.path as string;

describe("a client on a pipe", { timeout: 30_000 }, () => {
  it("works in its own project, but opens no home, no disk, no system and nothing of the host's", async () => {
    const cli = makeRootedCli();
    const own = join(cli.workDir, "workspaces/ws_default/project");
    const closed = ["/", cli.dir, "/home", "/etc", "/usr", "/proc/self", cli.workDir, join(cli.workDir, "run")];
    const sdk = await connectStdio(cli, ...closed.map((path) => rootOf(path)), rootOf(cli.project, "p"), rootOf(own));
    const { supports_roots, count, roots } = await sdk.roots();
    expect([supports_roots, count]).toEqual([true, closed.length + 2]);
    expect(roots.filter(({ usable }) => usable).map(({ uri }) => uri)).toEqual([
      rootOf(cli.project).uri,
      rootOf(own).uri,
    ]);
    expect(await opened(sdk, "workspace://a%20b")).toBe(join(cli.project, "a b"));
    expect(await opened(sdk, join(own, "x"))).toBe(join(own, "x"));
    for (const path of ["/etc/passwd", join(cli.workDir, "owner.key"), join(cli.dir, "bailiwick.json")])
      await expect(opened(sdk, path)).rejects.toMatchObject({ code: -32602, data: { kind: "path_outside_roots" } });
  });

  it("has other roots from its next call, and with none works in the host's", async () => {
    const cli = makeRootedCli();
    mkdirSync(join(cli.project, "inner"));
    const sdk = await connectStdio(cli, rootOf(cli.project));
    expect(await opened(sdk, "x")).toBe(join(cli.project, "x"));
    sdk.listed = [rootOf(join(cli.project, "inner"))];
    await sdk.client.sendRootsListChanged();
    expect(await opened(sdk, "x")).toBe(join(cli.project, "inner/x"));
    await expect(opened(sdk, join(cli.project, "x"))).rejects.toMatchObject({ data: { kind: "path_outside_roots" } });
    sdk.listed = [];
    await sdk.client.sendRootsListChanged();
    expect(await opened(sdk, "x")).toBe(join(cli.workDir, "workspaces/ws_default/project/x"));
    expect(await sdk.roots()).toMatchObject({ supports_roots: true, count: 0, roots: [{ name: "project" }] });
  });

  it("is believed alike where it joins the host that runs, and not at all where the operator says never", async () => {
    const cli = makeRootedCli();
    const house = await openHouse(cli, "ops");
    const sdk = await connectStdio(cli, rootOf(cli.project));
    expect(await opened(sdk, "x")).toBe(join(cli.project, "x"));
    cli.write({ fromClients: "never" });
    expect((await cli.run(["reload"])).code).toBe(0);
    expect(await opened(sdk, "x")).toBe(join(cli.workDir, "workspaces/ws_default/project/x"));
    expect((await sdk.roots()).roots[0]).toMatchObject({ usable: false });
    await sdk.client.close();
    await closeHouse(house);
  });

  it("that never answers works in the host's", async () => {
    const cli = makeRootedCli();
    const sdk = await connectStdio(cli);
    sdk.listed = null;
    expect(await opened(sdk, "x")).toBe(join(cli.workDir, "workspaces/ws_default/project/x"));
    expect(sdk.asked).toBe(1);
  });
});
