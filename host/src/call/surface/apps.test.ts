import { beforeEach, describe, expect, it } from "vitest";
import { viewOf, type View } from "../../kernel/surface.ts";
import { openBench, OWNER, provider, refusalOf, scoped, SHOWS_APPS, type Bench } from "./sheets-for-tests.ts";
import { toolVisibility } from "./tool-visibility.ts";

const UI: View = { ui: true };
const tool = (name: string, visibility?: readonly string[]): string =>
  JSON.stringify({ name, ...(visibility && { _meta: { ui: { visibility } } }) });

let bench: Bench;
beforeEach(() => {
  bench = openBench();
  bench.registry.add(
    provider("a", { tools: [tool("poll", ["app"]), tool("show", ["model", "app"]), tool("think", ["model"])] }),
  );
  bench.registry.add(provider("b", { tools: [tool("show"), tool("tick", ["app"]), tool("x__y")] }));
});

describe("a tool for apps only", () => {
  it("is listed to clients that declared ui, to no others, on both kinds of endpoint", () => {
    expect(bench.listed()).toEqual(["a__show", "a__think", "b__show", "b__x__y"]);
    expect(bench.listed(OWNER, null, UI)).toEqual(["a__poll", "a__show", "a__think", "b__show", "b__tick", "b__x__y"]);
    expect(bench.listed(OWNER, "a")).toEqual(["show", "think"]);
    expect(bench.listed(OWNER, "a", UI)).toEqual(["poll", "show", "think"]);
    expect(bench.listed(scoped("b__*"), null, UI)).toEqual(["b__show", "b__tick", "b__x__y"]);
  });

  it("cannot be called by others either, and is not suggested to them", () => {
    for (const call of [{ name: "a__poll" }, { name: "poll" }, { name: "poll", provider: "a" }]) {
      const no = refusalOf(() => bench.find(call));
      expect(no.kind).toBe("unknown_tool");
      expect(no.details["suggestions"]).not.toContain("a__poll");
      expect(no.details["suggestions"]).not.toContain("poll");
      expect(bench.find({ ...call, asker: SHOWS_APPS }).flatName).toBe("a__poll");
    }
    expect(
      bench.sheets
        .of(OWNER, null)!
        .rows()
        .map((row) => row.name),
    ).not.toContain("a__poll");
  });

  it("makes another surface of it, so that a token of one is stale on the other", () => {
    const plain = bench.sheets.of(OWNER, null)!.token;
    const ui = bench.sheets.of(OWNER, null, UI)!.token;
    expect(ui).not.toBe(plain);
    expect(bench.find({ name: "a__show", surface: ui, asker: SHOWS_APPS }).name).toBe("show");
    expect(refusalOf(() => bench.find({ name: "a__show", surface: ui })).kind).toBe("stale_surface");
  });
});

describe("a bare name on the endpoint of all providers", () => {
  const asApp = (name: string, principal = OWNER) => bench.find({ name, asker: SHOWS_APPS }, principal).flatName;

  it("is the one provider's that has such a tool for apps", () => {
    expect(["poll", "tick", "x__y", "a__show"].map((name) => asApp(name))).toEqual([
      "a__poll",
      "b__tick",
      "b__x__y",
      "a__show",
    ]);
    expect(asApp("show", scoped("b__*"))).toBe("b__show");
  });

  it("is refused with the providers and the endpoint where several have one", () => {
    const no = refusalOf(() => asApp("show"));
    expect(no.kind).toBe("unknown_tool");
    expect(no.message).toContain("a, b");
    expect(no.next).toContain("/mcp/providers/<provider>");
    expect(no.details).toEqual({ suggestions: ["a__show", "b__show"], providers: ["a", "b"] });
  });

  it("is unknown where apps may not call it, or the client shows none", () => {
    expect(refusalOf(() => asApp("think")).kind).toBe("unknown_tool");
    for (const name of ["poll", "show", "tick", "x__y"])
      expect(refusalOf(() => bench.find({ name })).kind).toBe("unknown_tool");
    expect(refusalOf(() => asApp("poll", scoped("b__*"))).kind).toBe("not_visible");
    for (const name of ["", "__", "constructor", "__proto__"])
      expect(refusalOf(() => asApp(name)).kind).toBe("unknown_tool");
  });

  it("no longer hits when a second provider brings the same tool", () => {
    expect(asApp("poll")).toBe("a__poll");
    bench.registry.add(provider("c", { tools: [tool("poll", ["app"])] }));
    expect(refusalOf(() => asApp("poll")).details["providers"]).toEqual(["a", "c"]);
  });

  it("is own on a provider's endpoint and nobody else's", () => {
    expect(bench.find({ name: "show", provider: "b", asker: SHOWS_APPS }).flatName).toBe("b__show");
    expect(refusalOf(() => bench.find({ name: "poll", provider: "b", asker: SHOWS_APPS })).kind).toBe("unknown_tool");
  });

  it("is for tools alone", () => {
    expect(refusalOf(() => bench.find({ name: "poll", operation: "prompt", asker: SHOWS_APPS })).kind).toBe(
      "unknown_tool",
    );
  });
});

describe("who sees a tool", () => {
  it.each([
    [{}, true, true],
    [{ _meta: null }, true, true],
    [{ _meta: { ui: { visibility: "app" } } }, true, true],
    [{ _meta: { ui: { visibility: ["app"] } } }, false, true],
    [{ _meta: { ui: { visibility: ["model"] } } }, true, false],
    [{ _meta: { ui: { visibility: ["app", "model"] } } }, true, true],
    [{ _meta: { ui: { visibility: [] } } }, false, false],
    [{ annotations: { "ai.nimblebrain/internal": true } }, false, true],
    [{ annotations: { "ai.nimblebrain/internal": "yes" } }, true, true],
    [{ annotations: { "ai.nimblebrain/internal": true }, _meta: { ui: { visibility: ["model"] } } }, false, false],
  ])("%j: model %s, app %s", (value, model, app) => expect(toolVisibility({ value })).toEqual({ model, app }));
});

describe("what a client declared", () => {
  it.each([
    [{}, false],
    [{ extensions: null }, false],
    [{ extensions: { "io.modelcontextprotocol/ui": null } }, false],
    [{ extensions: { "io.modelcontextprotocol/ui": true } }, false],
    [{ extensions: { "io.modelcontextprotocol/tasks": {} } }, false],
    [{ "io.modelcontextprotocol/ui": {} }, false],
    [{ extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } }, true],
  ])("%j: shows apps %s", (value, ui) => expect(viewOf({ value })).toEqual({ ui }));
});
