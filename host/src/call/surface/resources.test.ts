import { beforeEach, describe, expect, it } from "vitest";
import { UriOwners } from "../../kernel/uri-owners.ts";
import { openBench, OWNER, provider, refusalOf, resource, scoped, template, type Bench } from "./sheets-for-tests.ts";

let bench: Bench;
let read: Bench["read"];
beforeEach(() => {
  bench = openBench();
  ({ read } = bench);
});

interface Item {
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly _meta?: Record<string, { state: string; reason: string; next: string; retryable: boolean }>;
}
const items = (list: "resources" | "templates" | "tools", on: string | null = null): Item[] =>
  JSON.parse(bench.sheets.of(OWNER, on)![list]()) as Item[];

describe("reading a resource", () => {
  beforeEach(() => {
    bench.registry.add(provider("a", { resources: [resource("memo://one"), resource("both://x")] }));
    bench.registry.add(provider("b", { resources: [resource("b://x")], templates: [template("log://{day}/all")] }));
  });

  it.each([
    ["memo://one", "a"],
    ["log://monday/all", "b"],
    ["memo://unlisted", "a"],
    ["MEMO://unlisted", "a"],
    ["log://unlisted", "b"],
  ])("%s belongs to %s", (uri, owner) => expect(read(uri)).toBe(`${owner} ${uri}`));

  it("goes to the provider that is named, whatever others have", () => {
    expect(read("memo://one", { providerHint: "b" })).toBe("b memo://one");
    expect(read("memo://one", { provider: "b" })).toBe("b memo://one");
  });

  it("names the candidates when several templates match or several list the scheme", () => {
    bench.registry.add(
      provider("c", { resources: [resource("memo://c")], templates: [template("log://{day}/{what}")] }),
    );
    for (const [uri, candidates] of [
      ["log://monday/all", ["b", "c"]],
      ["memo://unlisted", ["a", "c"]],
    ] as const) {
      const no = refusalOf(() => read(uri));
      expect(no.kind).toBe("resource_not_found");
      expect(no.row.mcp).toBe(-32602);
      expect(no.details).toEqual({ uri, candidates });
      expect(no.next).toContain("/mcp/providers/<provider>");
    }
  });

  it("refuses what nobody has", () => {
    expect(refusalOf(() => read("none://x")).details).toEqual({ uri: "none://x", candidates: [] });
    expect(refusalOf(() => read("memo://one", { providerHint: "nobody" })).kind).toBe("resource_not_found");
    for (const odd of ["", ":", "memo", "//one", "{x}"])
      expect(refusalOf(() => read(odd)).kind).toBe("resource_not_found");
  });

  it("is not caught by a template that leaves the scheme open", () => {
    bench.registry.add(provider("evil", { templates: [template("{+anything}"), template("{scheme}://one")] }));
    expect(read("memo://unlisted")).toBe("a memo://unlisted");
    expect(refusalOf(() => read("none://x")).details["candidates"]).toEqual([]);
    expect(read("none://x", { providerHint: "evil" })).toBe("evil none://x");
  });

  it("hides resources from a key that may not name all of a provider's tools", () => {
    const narrow = scoped("a__some", "b__*");
    expect(bench.sheets.of(narrow, null)!.resources()).not.toContain("memo://one");
    expect(refusalOf(() => read("memo://one", {}, narrow)).kind).toBe("resource_not_found");
    expect(refusalOf(() => read("memo://one", { providerHint: "a" }, narrow)).kind).toBe("resource_not_found");
  });

  it("marks each listed resource and template with its provider", () => {
    expect(bench.sheets.of(OWNER, null)!.resources()).toContain(
      '{"_meta":{"dev.bailiwick/provider":"a"},"uri":"memo://one"}',
    );
    expect(items("templates")).toEqual([{ _meta: { "dev.bailiwick/provider": "b" }, uriTemplate: "log://{day}/all" }]);
  });
});

describe("a URI that two providers list", () => {
  const shared = () => resource("both://x");
  const lifecycle = (of: string) =>
    items("resources").find((item) => (item._meta?.["dev.bailiwick/provider"] as unknown) === of)?._meta?.[
      "dev.bailiwick/lifecycle"
    ];

  it("belongs to the one that was there first, whatever its name", () => {
    bench.registry.add(provider("z", { resources: [shared()] }));
    expect(read("both://x")).toBe("z both://x");
    bench.registry.add(provider("a", { resources: [shared(), resource("a://x")], templates: [template("both://x")] }));
    expect(read("both://x")).toBe("z both://x");
    expect(lifecycle("z")).toBeUndefined();
    expect(lifecycle("a")).toMatchObject({ state: "unavailable", reason: "uri_taken", retryable: false });
    expect(lifecycle("a")?.next).toContain("/mcp/providers/a");
  });

  it("is served by the second to a caller that names it, and on its own endpoint, where nothing is unavailable", () => {
    bench.registry.add(provider("a", { resources: [shared()] }));
    bench.registry.add(provider("b", { resources: [shared()] }));
    expect(read("both://x", { providerHint: "b" })).toBe("b both://x");
    expect(read("both://x", { provider: "b" })).toBe("b both://x");
    expect(items("resources", "b")).toEqual([{ uri: "both://x" }]);
  });

  it("has its owner fixed though nobody ever lists", async () => {
    bench.registry.add(provider("z", { resources: [shared()] }));
    await new Promise<void>((resolve) => void bench.registry.onChange(resolve));
    bench.registry.add(provider("a", { resources: [shared()] }));
    expect(read("both://x")).toBe("z both://x");
  });

  it("stays with its owner while the owner does not list it", () => {
    const a = provider("a", { resources: [shared()] });
    bench.registry.add(a);
    expect(read("both://x")).toBe("a both://x");
    bench.registry.add(provider("b", { resources: [shared()] }));
    bench.registry.add(provider("a", { resources: [] }));
    expect(lifecycle("b")).toMatchObject({ reason: "uri_taken" });
    expect(read("both://x")).toBe("a both://x");
  });

  it("is refused as taken where its owner is not to be seen, and the owner is not named", () => {
    bench.registry.add(provider("secret", { resources: [shared()] }));
    bench.sheets.of(OWNER, null);
    bench.registry.add(provider("b", { resources: [shared()], templates: [template("both://{any}")] }));
    const no = refusalOf(() => read("both://x", {}, scoped("b__*")));
    expect(no.kind).toBe("uri_taken");
    expect(no.row.mcp).toBe(-32602);
    expect(JSON.stringify([no.message, no.next, no.details])).not.toContain("secret");
    expect(bench.sheets.of(scoped("b__*"), null)!.resources()).not.toContain("secret");
    expect(read("both://x", { providerHint: "b" }, scoped("b__*"))).toBe("b both://x");
  });

  it("changes hands only when its owner is gone at a start, and then the surface is another one", () => {
    const stored = new UriOwners();
    const boot = (...names: string[]): Bench => {
      const fresh = openBench({ owners: new UriOwners(stored.entries(), () => {}) });
      for (const name of names) fresh.registry.add(provider(name, { resources: [shared()] }));
      return fresh;
    };
    stored.claim([{ provider: "z", uris: ["both://x"] }]);
    const both = boot("a", "z");
    expect(both.read("both://x")).toBe("z both://x");
    const token = both.sheets.of(OWNER, "a")!.token;
    const alone = boot("a");
    expect(alone.read("both://x")).toBe("a both://x");
    expect(alone.sheets.of(OWNER, "a")!.token).not.toBe(token);
  });
});

describe("ui:// and skill://", () => {
  const withUi =
    '{"name":"show","_meta":{"x":1.0,"ui":{"resourceUri":"ui://app.html"},"ui/resourceUri":"ui://app.html"}}';
  beforeEach(() => {
    for (const name of ["a", "b"])
      bench.registry.add(
        provider(name, {
          tools: [withUi],
          resources: [resource("ui://app.html"), resource("skill://s/SKILL.md")],
          templates: [template("ui://{page}.html")],
        }),
      );
  });

  it("carry their provider in the lists of all providers, and are the original ones on its own endpoint", () => {
    expect(items("resources").map((item) => item.uri)).toEqual(
      ["a", "b"].flatMap((name) => [`ui://${name}/app.html`, `skill://${name}/s/SKILL.md`]),
    );
    expect(items("templates").map((item) => item.uriTemplate)).toEqual(["ui://a/{page}.html", "ui://b/{page}.html"]);
    expect(bench.sheets.of(OWNER, null)!.tools()).toBe(
      `[${["a", "b"].map((name) => withUi.replace('"show"', `"${name}__show"`).replaceAll("ui://", `ui://${name}/`)).join(",")}]`,
    );
    expect(bench.sheets.of(OWNER, "b")!.tools()).toBe(`[${withUi}]`);
    expect(items("resources", "b").map((item) => item.uri)).toEqual(["ui://app.html", "skill://s/SKILL.md"]);
  });

  it("are never taken: each provider has its own", () => {
    expect(bench.sheets.of(OWNER, null)!.resources()).not.toContain("uri_taken");
  });

  it("lead from the tool's link to that very provider's resource", () => {
    for (const name of ["a", "b"]) expect(read(`ui://${name}/app.html`)).toBe(`${name} ui://app.html`);
    expect(read("skill://b/s/SKILL.md")).toBe("b skill://s/SKILL.md");
    expect(read("ui://b/other/unlisted")).toBe("b ui://other/unlisted");
    expect(read("ui://app.html", { provider: "b" })).toBe("b ui://app.html");
  });

  it("are complete as a reference under the same URI", () => {
    const target = bench.find({ operation: "complete", name: "ui://b/{page}.html" });
    expect([target.provider.name, target.name]).toEqual(["b", "ui://{page}.html"]);
  });

  it.each([
    ["ui://evil/../x", "evil ui://../x"],
    ["ui://evil/a/app.html", "evil ui://a/app.html"],
    ["ui://evil//a/app.html", "evil ui:///a/app.html"],
    ["UI://evil/x", "evil UI://x"],
  ])("are undone without a table, so %s is nobody else's", (uri, reached) => {
    bench.registry.add(provider("evil", { resources: [resource("ui://a/app.html"), resource("ui://../x")] }));
    expect(read(uri)).toBe(reached);
  });

  it.each(["ui://app.html", "ui://", "ui:///app.html", "ui://none/x", "ui://%61/app.html", "ui://A/app.html"])(
    "%s names no provider here",
    (uri) => expect(refusalOf(() => read(uri)).kind).toBe("resource_not_found"),
  );

  it("do not go to another provider than they carry, also when the caller names one", () => {
    expect(read("ui://a/app.html", { providerHint: "a" })).toBe("a ui://app.html");
    expect(refusalOf(() => read("ui://a/app.html", { providerHint: "b" })).kind).toBe("resource_not_found");
    expect(refusalOf(() => read("ui://a/app.html", {}, scoped("b__*"))).kind).toBe("resource_not_found");
  });
});

describe("watching a resource", () => {
  const watching = (uri: string, on: string | null = null, principal = OWNER) => {
    const seen: string[] = [];
    const watch = (own: string, updated: () => void): (() => void) => {
      seen.push(own);
      updated();
      return () => seen.push("ended");
    };
    bench.registry.add(provider("p", { resources: [resource("memo://x"), resource("ui://x")], watch }));
    bench.registry.add(provider("mute", { resources: [resource("mute://x")] }));
    let updates = 0;
    const end = bench.sheets.watch({ principal, provider: on, uri }, () => updates++);
    end?.();
    return { seen, updates, ended: end !== null };
  };

  it.each([
    ["memo://x", null, "memo://x"],
    ["ui://p/x", null, "ui://x"],
    ["ui://x", "p", "ui://x"],
  ])("%s is asked of its provider by its own URI, until it is ended", (uri, on, own) => {
    expect(watching(uri, on)).toEqual({ seen: [own, "ended"], updates: 1, ended: true });
  });

  it.each(["none://x", "mute://x", "ui://x", "files://x"])("%s is watched by nobody", (uri) => {
    expect(watching(uri)).toEqual({ seen: [], updates: 0, ended: false });
  });

  it("is not for a key that may not read it, nor on an endpoint that there is not", () => {
    expect(watching("memo://x", null, scoped("q__*")).ended).toBe(false);
    expect(watching("memo://x", "nowhere").ended).toBe(false);
  });
});

describe("a list of resources", () => {
  it("keeps every other byte", () => {
    const odd = ',"n":1.0, "icons":[{"src":"ui://i"}],"big":12345678901234567890';
    bench.registry.add(provider("p", { resources: [resource("ui://x", odd)] }));
    expect(bench.sheets.of(OWNER, "p")!.resources()).toBe(`[{"uri":"ui://x"${odd}}]`);
    expect(bench.sheets.of(OWNER, null)!.resources()).toBe(
      `[{"_meta":{"dev.bailiwick/provider":"p"},"uri":"ui://p/x"${odd}}]`,
    );
  });
});
