/** The protocol's own client with roots, over HTTP, at a whole host: which of them are believed, and for how long. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectHttp, rootOf, startRooted, type RootedHost, type RootedSdk } from "./roots-place-for-tests.ts";

const usable = async (sdk: RootedSdk): Promise<boolean[]> => (await sdk.roots()).roots.map((root) => root.usable);
const opened = async (sdk: RootedSdk, path: string): Promise<string> =>
  (await sdk.call("ops__open", { path })).structuredContent.path as string;

describe("fromClients auto, over HTTP", () => {
  it("the client chooses among the folders of the operator, and its count and order are its own", async () => {
    const rooted = await startRooted();
    const { hero, renders, dir } = rooted.place;
    mkdirSync(join(dir, "elsewhere"));
    const sdk = await connectHttp(
      rooted,
      rootOf(join(dir, "elsewhere"), "elsewhere"),
      { uri: "https://x.test/", name: "web" },
      rootOf(renders, "mine"),
      rootOf(join(hero, "assets")),
    );
    expect(await sdk.roots()).toEqual({
      supports_roots: true,
      count: 4,
      roots: [
        { name: "elsewhere", uri: `file://${dir}/elsewhere`, usable: false, reason: expect.stringMatching(/operator/) },
        { name: "web", uri: "https://x.test/", usable: false, reason: expect.any(String) },
        { name: "mine", uri: rootOf(renders).uri, usable: true },
        { name: null, uri: rootOf(join(hero, "assets")).uri, usable: true },
      ],
    });
    expect(await opened(sdk, "workspace://a.exr")).toBe(join(renders, "a.exr"));
    expect(await opened(sdk, "workspace://@mine/a.exr")).toBe(join(renders, "a.exr"));
    await expect(opened(sdk, "workspace://@hero/a")).rejects.toMatchObject({ code: -32602 });
    await expect(opened(sdk, join(dir, "elsewhere/a"))).rejects.toMatchObject({ code: -32602 });
    await expect(opened(sdk, join(hero, "a"))).rejects.toMatchObject({ data: { kind: "path_outside_roots" } });
  });

  it("a client whose roots are all elsewhere works in those of the host, and nothing more is open", async () => {
    const rooted = await startRooted();
    const { hero } = rooted.place;
    const sdk = await connectHttp(rooted, rootOf("/etc", "etc"), rootOf("/"), rootOf(rooted.host.workDir));
    const { count, roots } = await sdk.roots();
    expect([count, roots.map(({ name, usable: one }) => [name, one])]).toEqual([
      3,
      [
        ["etc", false],
        [null, false],
        [null, false],
        ["hero", true],
        ["renders", true],
      ],
    ]);
    expect(await opened(sdk, "passwd")).toBe(join(hero, "passwd"));
    for (const path of ["/etc/passwd", join(rooted.host.workDir, "owner.key"), "workspace://@etc/passwd"])
      await expect(opened(sdk, path)).rejects.toMatchObject({ code: -32602 });
    expect(rooted.place.lines()).toHaveLength(1);
  });
});

describe("a client that says that its roots changed", () => {
  it("has the new list from its next call, and what it withdrew resolves no more", async () => {
    const rooted = await startRooted();
    const { hero, renders } = rooted.place;
    const sdk = await connectHttp(rooted, rootOf(hero, "a"), rootOf(renders, "b"));
    expect(await opened(sdk, "workspace://@a/x")).toBe(join(hero, "x"));
    sdk.listed = [rootOf(renders, "b")];
    await sdk.client.sendRootsListChanged();
    expect(await opened(sdk, "workspace://x")).toBe(join(renders, "x"));
    await expect(opened(sdk, "workspace://@a/x")).rejects.toMatchObject({ data: { kind: "unknown_root", root: "a" } });
    await expect(opened(sdk, join(hero, "x"))).rejects.toMatchObject({ data: { kind: "path_outside_roots" } });
    sdk.listed = [];
    await sdk.client.sendRootsListChanged();
    expect(await sdk.roots()).toMatchObject({ supports_roots: true, count: 0, roots: [{ name: "hero" }, {}] });
    expect(sdk.asked).toBe(3);
  });

  it("and then lists none that can be read keeps nothing of what it had", async () => {
    const rooted = await startRooted({ roots: { list: [], fromClients: "always" } });
    const sdk = await connectHttp(rooted, rootOf(rooted.place.hero));
    expect(await opened(sdk, "x")).toBe(join(rooted.place.hero, "x"));
    sdk.listed = [{ uri: "file://server/share" }, { uri: "not a uri" }];
    await sdk.client.sendRootsListChanged();
    await expect(opened(sdk, "x")).rejects.toMatchObject({ data: { kind: "no_workspace_roots" } });
    expect(await sdk.roots()).toMatchObject({ count: 2, roots: [{ usable: false }, { usable: false }] });
  });
});

describe("fromClients", () => {
  const elsewhereAt = ({ place }: Pick<RootedHost, "place">): string => {
    const path = join(place.dir, "else where");
    mkdirSync(path, { recursive: true });
    return path;
  };

  it("always opens any folder but the host's own, never opens none, and a reload changes which it is", async () => {
    const rooted = await startRooted({ roots: { list: [], fromClients: "always" } });
    const { host, place } = rooted;
    const elsewhere = elsewhereAt(rooted);
    const sdk = await connectHttp(rooted, rootOf(elsewhere, "e"), rootOf(host.workDir, "w"));
    expect(await usable(sdk)).toEqual([true, false]);
    expect(await opened(sdk, "workspace://a%20b")).toBe(join(elsewhere, "a b"));
    place.write({ roots: { list: [], fromClients: "never" } });
    await host.bundles.reload();
    expect(await usable(sdk)).toEqual([false, false]);
    await expect(opened(sdk, "a")).rejects.toMatchObject({ data: { kind: "no_workspace_roots" } });
    place.write({ roots: { list: [], fromClients: "always" } });
    await host.bundles.reload();
    expect(await opened(sdk, "a")).toBe(join(elsewhere, "a"));
    expect(sdk.asked).toBe(1);
  });
});

it("a client that never says what its roots are works in those of the host", { timeout: 20_000 }, async () => {
  const rooted = await startRooted();
  const sdk = await connectHttp(rooted);
  sdk.listed = null;
  expect(await opened(sdk, "workspace://x")).toBe(join(rooted.place.hero, "x"));
  expect(sdk.asked).toBe(1);
});

it("a client that announces a great many is told how many it said, and the first of them are used", async () => {
  const rooted = await startRooted();
  const sdk = await connectHttp(rooted, ...Array.from({ length: 70 }, () => rootOf(rooted.place.hero)));
  expect([(await sdk.roots()).count, await usable(sdk)]).toEqual([70, Array.from({ length: 64 }, () => true)]);
});

it("one client's roots are nobody else's, also where both speak to the same bundle", async () => {
  const rooted = await startRooted();
  const { hero, renders } = rooted.place;
  writeFileSync(join(hero, "x"), "");
  const [a, b] = [await connectHttp(rooted, rootOf(hero)), await connectHttp(rooted, rootOf(renders))];
  const paths = await Promise.all([a, b, a, b].map((sdk) => opened(sdk, "workspace://x")));
  expect(paths).toEqual([hero, renders, hero, renders].map((dir) => join(dir, "x")));
});
