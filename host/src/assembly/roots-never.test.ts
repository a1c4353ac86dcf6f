/** What must never happen to paths and roots, each on a whole host. */
import fc from "fast-check";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePackagesPlace, startPackages } from "./packages-place-for-tests.ts";
import { connectHttp, rootOf, startRooted, type RootedHost } from "./roots-place-for-tests.ts";

const PROFILES = ["strict", "permissive"] as const;
const HERO = { name: "hero", path: "projects/hero" };

const start = async (profile: (typeof PROFILES)[number]): Promise<RootedHost> => {
  const rooted = await startRooted({ roots: { list: [HERO], profile } });
  symlinkSync("/etc", join(rooted.place.hero, "link"));
  symlinkSync("..", join(rooted.place.hero, "up"));
  symlinkSync("/nowhere/at/all", join(rooted.place.hero, "dangling"));
  return rooted;
};

describe("a path never leaves its root", () => {
  /** None of them is an absolute path, which the permissive profile lets pass. */
  const ESCAPES = [
    "../x",
    "assets/../../x",
    "workspace://..",
    "workspace://../x",
    "workspace://a/../../x",
    "workspace:///../x",
    "workspace:/../x",
    "workspace://%2e%2e/x",
    "workspace://%2E./x",
    "workspace://a/%2e%2e/%2e%2e/x",
    "workspace://%252e%252e/../../x",
    "workspace://a%2F..%2F..%2Fx",
    "workspace://..%5Cx",
    "workspace://..\\x",
    "workspace://a\\..\\..\\x",
    "workspace://C:/x",
    "workspace://c:x",
    "workspace:////srv/share",
    "workspace://@hero/../x",
    "workspace://@hero/%2e%2e/x",
    "workspace://@../x",
    "workspace://a%00/../../x",
    "workspace://%00",
    "a\u0000b",
    "a\nb",
    "workspace://link/passwd",
    "link/passwd",
    "workspace://up/other",
    "up/../../x",
    "workspace://dangling/x",
    "C:x",
    "workspace:a",
    "workspace://%ff/x",
    "workspace://%c0%ae%c0%ae/x",
  ];

  it.each(PROFILES)("by .., percent-encoding, links, drives, UNC names, backslashes or NUL: %s", async (profile) => {
    const { doors, place } = await start(profile);
    const [mcp, rest] = [doors[0], doors.find(({ name }) => name === "REST")];
    for (const path of ESCAPES) {
      for (const door of [mcp, rest]) {
        const refused = (await door?.call("ops__open", { also: [path] }))?.refused ?? "it ran";
        expect([path, refused]).toEqual([
          path,
          expect.stringMatching(/^(path_outside_roots|invalid_path|unknown_root)$/),
        ]);
      }
    }
    for (const path of ["/etc/passwd", "file:///etc/passwd", "C:\\x", "\\\\srv\\share\\x", "//srv/share/x"]) {
      const { refused } = (await rest?.call("ops__open", { path })) ?? {};
      expect([path, refused]).toEqual([path, profile === "strict" ? "path_outside_roots" : null]);
    }
    const given = place.lines().map((line) => JSON.parse(line).params.arguments.path);
    expect(given).toEqual(
      profile === "strict" ? [] : ["/etc/passwd", "/etc/passwd", "C:\\x", "\\\\srv\\share\\x", "//srv/share/x"],
    );
  });

  it.each(PROFILES)("by any mixture of these: %s", async (profile) => {
    const { host, place } = await start(profile);
    const piece = fc.constantFrom(
      "..",
      "%2e",
      ".",
      "/",
      "//",
      "\\",
      "%2F",
      "%5c",
      "a",
      "@",
      "C:",
      "%00",
      "link",
      "up",
      "@hero",
      "%",
      " ",
    );
    const head = fc.constantFrom("workspace://", "workspace:/", "WorkSpace:///", "workspace://@hero/", "");
    const path = fc.tuple(head, fc.array(piece, { maxLength: 8 })).map(([start_, rest]) => start_ + rest.join(""));
    // An absolute path passes in the permissive profile; whether it is one is decided on every platform.
    const isPlain = (text: string): boolean => !/^[/\\]|^[A-Za-z]:[/\\]/.test(text);
    let resolved = 0;
    await fc.assert(
      fc.asyncProperty(path.filter(isPlain), async (text) => {
        const found = await host.roots.resolve(text).catch(() => place.hero);
        if (found !== place.hero) resolved++;
        expect(found === place.hero || found.startsWith(`${place.hero}/`)).toBe(true);
        // The links themselves: a folder that is not there may have any name below it.
        for (const name of ["link", "up"]) expect(found.startsWith(`${place.hero}/${name}/`)).toBe(false);
        expect(found.split("/")).not.toContain("..");
      }),
      { numRuns: 300 },
    );
    expect(resolved).toBeGreaterThan(0);
  });
});

describe("a root is what its URI means", () => {
  it("an encoded root is decoded, and the host part of a file: URI is never a folder", async () => {
    const list = [
      { name: "remote", path: "file://server/projects/hero" },
      { name: "plain", path: "projects/My%20Project" },
    ];
    const rooted = await startRooted({ roots: { list, fromClients: "always" } });
    const { place, host } = rooted;
    for (const name of ["My Project", "My%20Project"]) mkdirSync(join(place.dir, "projects", name));
    expect(await host.roots.resolve("workspace://x")).toBe(join(place.dir, "projects/My%20Project/x"));
    await expect(host.roots.resolve("workspace://@remote/x")).rejects.toMatchObject({ kind: "unknown_root" });
    const projects = join(place.dir, "projects");
    const sdk = await connectHttp(
      rooted,
      { uri: `file://server${projects}`, name: "server" },
      { uri: `file://localhost${projects}/My%20Project`, name: "local" },
      { uri: `file://${projects}/My%2520Project`, name: "twice" },
      { uri: `file://${projects}/a%2Fb` },
      { uri: `file://${projects}/..` },
    );
    const { roots } = await sdk.roots();
    expect(roots.map(({ usable }) => usable)).toEqual([false, true, true, false, false]);
    const opened = async (path: string) => (await sdk.call("ops__open", { path })).structuredContent.path as string;
    expect(await opened("workspace://x")).toBe(join(projects, "My Project/x"));
    expect(await opened("workspace://@twice/x")).toBe(join(projects, "My%20Project/x"));
  });
});

describe("roots of a client", () => {
  it("are fetched, end when the client withdraws them, and open nothing of the host's to one that comes over the network", async () => {
    const rooted = await startRooted({ roots: { list: [HERO] } });
    const { hero, dir } = rooted.place;
    mkdirSync(join(dir, "secret"));
    symlinkSync(join(dir, "secret"), join(hero, "way-out"));
    const inside = rootOf(join(hero, "assets"), "mine");
    const wide = ["/", dir, join(dir, "secret"), join(hero, "way-out"), `${hero}/../`, rooted.host.workDir];
    const sdk = await connectHttp(rooted, inside, ...wide.map((path) => rootOf(path)));
    const { count, roots } = await sdk.roots();
    expect([count, roots.map(({ usable }) => usable)]).toEqual([7, [true, false, false, false, false, false, false]]);
    const kindOf = async (path: string): Promise<unknown> =>
      sdk.call("ops__open", { path }).then(
        () => null,
        ({ data }) => data.kind,
      );
    expect(await kindOf("workspace://@mine/a")).toBeNull();
    for (const path of [join(dir, "secret/x"), "/etc/passwd", "workspace://../way-out/x", join(hero, "way-out/x")])
      expect([path, await kindOf(path)]).toEqual([path, "path_outside_roots"]);
    sdk.listed = [];
    await sdk.client.sendRootsListChanged();
    expect(await kindOf("workspace://@mine/a")).toBe("unknown_root");
    expect(await kindOf(join(dir, "secret/x"))).toBe("path_outside_roots");
    expect(rooted.place.lines()).toHaveLength(1);
  });
});

describe("_workspace_roots", () => {
  const ECHO = 'import { readFileSync } from "node:fs";\nprocess.stdout.write(readFileSync(0, "utf8"));\n';
  const TOOLS = [
    "tools:",
    "  - name: see",
    "    source_file: echo.mjs",
    "    required_capabilities: [filesystem.read]",
    "    input_schema: {type: object, properties: {path: {type: string, format: workspace-path}}}",
    "  - name: blind",
    "    source_file: echo.mjs",
  ].join("\n");

  it("reach bundles and scripts that work on files, and no caller can say them", async () => {
    const place = makePackagesPlace({ capabilities: { declared: ["filesystem.read"] } });
    place.put("kit", { "tools.yaml": TOOLS, "echo.mjs": ECHO });
    const host = await startPackages(place, "kit");
    const path = join(host.workDir, "workspaces/ws_default/project");
    const roots = { profile: "strict", roots: [{ name: "project", uri: rootOf(path).uri, path }] };
    const call = async (name: string, args: object) =>
      (await host.rest("POST", "/v1/tools/call", { name, arguments: args })).json;
    const seen = (await call("kit__see", { path: "workspace://a" })).structuredContent;
    expect(seen).toMatchObject({ arguments: { path: join(path, "a") }, _workspace_roots: roots });
    expect((await call("kit__blind", { path: "workspace://a" })).structuredContent).toMatchObject({
      arguments: { path: "workspace://a" },
      _workspace_roots: null,
    });
    for (const name of ["kit__see", "kit__blind"]) {
      const forged = { profile: "permissive", roots: [{ path: "/" }] };
      expect(await call(name, { _workspace_roots: forged })).toMatchObject({ error: "invalid_input" });
    }
  });

  it("of a bundle come from the host alone", async () => {
    const { host, place } = await startRooted();
    const ask = (name: string) => host.rest("POST", "/v1/tools/call", { name, arguments: {} });
    expect((await ask("ops__open")).json.structuredContent.roots.roots).toMatchObject([
      { name: "hero", path: place.hero },
      { name: "renders", path: place.renders },
    ]);
    expect((await ask("ops__plain")).json.structuredContent).not.toHaveProperty("roots");
  });
});
