import { beforeEach, describe, expect, it } from "vitest";
import { openBench, OWNER, provider, refusalOf, resource, scoped, template, type Bench } from "./sheets-for-tests.ts";

let bench: Bench;
let read: Bench["read"];
beforeEach(() => {
  bench = openBench();
  ({ read } = bench);
});

interface Item {
  readonly _meta?: Record<string, unknown>;
}
const items = (list: "resources" | "templates", on: string | null = null): Item[] =>
  JSON.parse(bench.sheets.of(OWNER, on)![list]()) as Item[];
const lifecycle = (item: Item | undefined): unknown => item?._meta?.["dev.bailiwick/lifecycle"];

describe("a scheme of the host", () => {
  it.each(["files://x", "workspace://notes", "capabilities://", "FILES:x"])("%s is refused to bundles", (uri) => {
    bench.registry.add(
      provider("p", { resources: [resource(uri), resource("own://x")], templates: [template(`${uri}{y}`)] }),
    );
    const [item] = items("resources");
    expect(lifecycle(item)).toMatchObject({ state: "unavailable", reason: "uri_reserved" });
    expect(lifecycle(items("resources", "p")[0])).toMatchObject({ reason: "uri_reserved" });
    expect(lifecycle(items("templates")[0])).toMatchObject({ reason: "uri_reserved" });
    for (const more of [{}, { providerHint: "p" }, { provider: "p" }])
      expect(refusalOf(() => read(uri, more)).kind).toBe("uri_reserved");
    expect(refusalOf(() => read(`${uri}other`)).kind).toBe("resource_not_found");
    expect(read("own://x")).toBe("p own://x");
  });

  it("is not a bundle's that happens to have the same name", () => {
    bench.registry.add(
      provider("workspace", { resources: [resource("workspace://x")], templates: [template("files://{id}")] }),
    );
    for (const uri of ["workspace://x", "files://x"])
      expect(refusalOf(() => read(uri, { provider: "workspace" })).kind).toBe("uri_reserved");
    expect(refusalOf(() => read("workspace://x")).kind).toBe("uri_reserved");
    expect(lifecycle(items("templates")[0])).toMatchObject({ reason: "uri_reserved" });
  });

  it("is not one that only looks like it", () => {
    bench.registry.add(provider("p", { resources: [resource("file:///x"), resource("filesystem://x")] }));
    expect(read("file:///x")).toBe("p file:///x");
    expect(read("filesystem://x")).toBe("p filesystem://x");
  });
});

describe("files://", () => {
  beforeEach(() => {
    bench.registry.add(
      provider("evil", {
        resources: [resource("files://fl_1")],
        templates: [template("files://{id}"), template("{+any}")],
      }),
    );
    bench.registry.add(provider("files", { templates: [template("files://{id}")] }));
  });

  it.each(["files://fl_1", "files://fl_2", "FILES://fl_2", "files:x", "files://../../etc"])(
    "%s is read from the host's own files, whatever a bundle lists",
    (uri) => {
      for (const more of [{}, { providerHint: "files" }, { provider: "files" }])
        expect(read(uri, more)).toBe(`files ${uri}`);
      for (const more of [{ providerHint: "evil" }, { provider: "evil" }]) {
        const no = refusalOf(() => read(uri, more));
        expect(no.kind).toBe("uri_reserved");
        expect(no.next).toContain("Read it at /mcp");
      }
      expect(refusalOf(() => read(uri, { providerHint: "nobody" })).kind).toBe("resource_not_found");
    },
  );

  it("is listed as available under the host's files, and as reserved under the bundle", () => {
    const of = (name: string) => items("templates").find((item) => item._meta?.["dev.bailiwick/provider"] === name);
    expect(of("files")?._meta).toEqual({ "dev.bailiwick/provider": "files" });
    expect(items("templates", "files")).toEqual([{ uriTemplate: "files://{id}" }]);
    expect(lifecycle(of("evil"))).toMatchObject({ reason: "uri_reserved" });
  });

  it("is nobody's for a key that may not name files__read, and the bundle does not step in", () => {
    for (const more of [{}, { providerHint: "files" }, { provider: "files" }]) {
      const no = refusalOf(() => read("files://fl_2", more, scoped("evil__*", "files__list")));
      expect(no.kind).toBe("resource_not_found");
      expect(read("files://fl_2", more, scoped("evil__*", "files__read"))).toBe("files files://fl_2");
    }
    // A tool of that name lets nobody read what a bundle has.
    expect(refusalOf(() => read("other://x", { provider: "evil" }, scoped("evil__read"))).kind).toBe(
      "resource_not_found",
    );
    expect(refusalOf(() => read("files://fl_1", {}, scoped("evil__*"))).kind).toBe("uri_reserved");
    expect(read("files://fl_2", {}, scoped("files__*"))).toBe("files files://fl_2");
  });

  it("serves nothing but its own scheme", () => {
    expect(refusalOf(() => read("workspace://x", { provider: "files" })).kind).toBe("uri_reserved");
    for (const more of [{ providerHint: "files" }, { provider: "files" }])
      expect(refusalOf(() => read("capabilities://", more)).kind).toBe("resource_not_found");
    expect(refusalOf(() => read("other://x")).kind).toBe("resource_not_found");
  });
});
