import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { ToolSeen } from "../kernel/tool-seen.ts";
import { createCli } from "./cli-for-tests.ts";
import { declareCommand } from "./declare-command.ts";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

let wire: HostWire;
beforeAll(async () => {
  wire = await openHostWire();
});
beforeEach(() => {
  wire.asked.length = 0;
});
afterAll(() => wire.close());

const CAPABILITIES = "/v1/host/capabilities";

describe("capabilities", () => {
  const change = (before: string[], after: string[], persisted = true) =>
    wire.says.set(`PUT ${CAPABILITIES}`, [200, { before, after, persisted }]);
  beforeEach(() => {
    wire.says.set(`GET ${CAPABILITIES}`, [
      200,
      { declared: ["usd", "x\u001B[2J"], providers: { maya: ["scene.read"] } },
    ]);
  });

  it("list shows each name and for whose tools it is declared", async () => {
    const { code, out } = await wire.run(["capabilities", "list"]);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "capability  for",
      "usd         every tool",
      String.raw`x\u{1b}[2J  every tool`,
      "scene.read  tools of maya",
      "",
    ]);
  });

  it("list writes what the host says as JSON, and says when nothing is declared", async () => {
    const { out } = await wire.run(["capabilities", "list", "--json"]);
    expect(JSON.parse(out)).toEqual({ declared: ["usd", "x\u001B[2J"], providers: { maya: ["scene.read"] } });
    wire.says.set(`GET ${CAPABILITIES}`, [200, { declared: [], providers: {} }]);
    expect((await wire.run(["capabilities", "list"])).err).toContain("bailiwick capabilities add <name>");
  });

  it("add sends the list with the new names, each once", async () => {
    wire.says.set(`GET ${CAPABILITIES}`, [200, { declared: ["usd"], providers: {} }]);
    change(["usd"], ["usd", "viewport"]);
    const { code, out } = await wire.run(["capabilities", "add", "viewport", "usd", "viewport"]);
    expect(code).toBe(0);
    expect(wire.asked.at(-1)).toMatchObject({
      what: `PUT ${CAPABILITIES}`,
      body: { declared: ["usd", "viewport"], before: ["usd"] },
    });
    expect(out).toBe("+ viewport\nDeclared now: usd, viewport\n");
  });

  it("remove sends the list without them, and takes what is not there for done", async () => {
    wire.says.set(`GET ${CAPABILITIES}`, [200, { declared: ["usd", "viewport"], providers: {} }]);
    change(["usd", "viewport"], ["viewport"]);
    expect((await wire.run(["capabilities", "remove", "usd"])).out).toBe("- usd\nDeclared now: viewport\n");
    expect(wire.asked.at(-1)?.body).toEqual({ declared: ["viewport"], before: ["usd", "viewport"] });
    change(["usd", "viewport"], ["usd", "viewport"]);
    const { code, out } = await wire.run(["capabilities", "remove", "never"]);
    expect([code, out]).toEqual([0, "Nothing to change.\nDeclared now: usd, viewport\n"]);
  });

  it("says when a change could not be written down", async () => {
    change(["usd"], ["usd", "y"], false);
    const { code, err, out } = await wire.run(["capabilities", "add", "y", "--json"]);
    expect([code, JSON.parse(out)]).toEqual([0, { before: ["usd"], after: ["usd", "y"], persisted: false }]);
    expect(err).toContain("Add it to capabilities.declared of bailiwick.json, or it is gone at the next start.");
    change(["usd", "y"], ["usd"], false);
    const removed = await wire.run(["capabilities", "remove", "y"]);
    expect(removed.err).toContain(
      "Take it out of capabilities.declared of bailiwick.json, or it is declared again at the next start.",
    );
  });

  it("looks again where somebody else changed the list meanwhile, three times in all", async () => {
    const no = { error: "stale_surface", message: "It is another list by now.", remedy: "Look again." };
    wire.says.set(`GET ${CAPABILITIES}`, [200, { declared: ["usd"], providers: {} }]);
    wire.says.set(`PUT ${CAPABILITIES}`, [409, no]);
    const { code, err } = await wire.run(["capabilities", "add", "viewport"]);
    expect([code, err]).toEqual([3, "It is another list by now.\n→ Look again.\n"]);
    const round = [`GET ${CAPABILITIES}`, `PUT ${CAPABILITIES}`];
    expect(wire.asked.map(({ what }) => what)).toEqual([...round, ...round, ...round]);
  });

  it("ends with exit code 3 when the host refuses", async () => {
    const no = { error: "permission_missing", message: "You may not.", remedy: "Ask." };
    wire.says.set(`PUT ${CAPABILITIES}`, [403, no]);
    const { code, err } = await wire.run(["capabilities", "add", "usd"]);
    expect([code, err]).toEqual([3, "You may not.\n→ Ask.\n"]);
  });

  it("are changed in the file where no host runs, and the next command sees that", async () => {
    const cli = createCli();
    onTestFinished(() => cli.clean());
    cli.configure({ workDir: "work", noDefaultBundles: true, capabilities: { declared: ["usd"] } });
    expect((await cli.run(["capabilities", "add", "viewport"])).out).toContain("Declared now: usd, viewport");
    expect((await cli.run(["capabilities", "remove", "usd"])).out).toContain("Declared now: viewport");
    const { out } = await cli.run(["capabilities", "list", "--json"]);
    expect(JSON.parse(out)).toEqual({ declared: ["viewport"], providers: {} });
  });

  it("are never put into a command that a shell would read otherwise", () => {
    expect(declareCommand(["usd", "filesystem.write", "usd"])).toBe("bailiwick capabilities add usd filesystem.write");
    expect(declareCommand(["$(x)", "a b", "a;b", "it's"])).toBe(
      String.raw`bailiwick capabilities add '$(x)' 'a b' 'a;b' 'it'\''s'`,
    );
    for (const name of ["--config=x", "-h", "a\nb", "\u202Ex", ""]) {
      expect(declareCommand(["usd", name])).toBe("bailiwick capabilities add <name>...");
    }
  });
});

describe("roots", () => {
  it("list shows which can be used, and why one cannot", async () => {
    const roots = [
      { name: "project", uri: "file:///p", usable: true },
      { name: null, uri: "http://x\n", usable: false, reason: "It is no file: URI." },
    ];
    const body = { profile: "strict", supports_roots: false, count: 2, roots };
    wire.says.set("GET /v1/roots", [200, body]);
    const { code, out, err } = await wire.run(["roots", "list"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^root +state +uri +why\nproject +usable +file:\/\/\/p\n/);
    expect(out).toMatch(/^– +unusable +http:\/\/x\\u\{a\} +It is no file: URI\.$/m);
    expect(err).toContain("Profile strict");
    expect(JSON.parse((await wire.run(["roots", "list", "--json"])).out)).toEqual(body);
    wire.says.set("GET /v1/roots", [200, { ...body, count: 0, roots: [] }]);
    expect((await wire.run(["roots", "list"])).err).toContain('"capabilities"');
  });

  it("resolve prints the file alone, so that a script can use it", async () => {
    const path = "workspace://a b/ü";
    wire.says.set("POST /v1/roots/resolve", [200, { path, resolved: "/p/a b/ü" }]);
    expect(await wire.run(["roots", "resolve", path])).toEqual({ code: 0, out: "/p/a b/ü\n", err: "" });
    expect(wire.asked.at(-1)?.body).toEqual({ path });
    const { out } = await wire.run(["roots", "resolve", path, "--json"]);
    expect(JSON.parse(out)).toEqual({ path, resolved: "/p/a b/ü" });
  });

  it("resolve says why a path is refused, with exit code 3", async () => {
    const data = { details: { path: "../x" }, retryable: false };
    const no = { error: "path_outside_roots", message: "It lies in no root.", remedy: "Use another.", data };
    wire.says.set("POST /v1/roots/resolve", [422, no]);
    const { code, out, err } = await wire.run(["roots", "resolve", "../x", "--json"]);
    expect([code, err]).toEqual([3, "It lies in no root.\n→ Use another.\n"]);
    expect(JSON.parse(out)).toMatchObject({ error: "path_outside_roots", data: { path: "../x" } });
  });
});

describe("tools", () => {
  const tool = (name: string, more: Partial<ToolSeen> = {}): ToolSeen => ({
    name,
    provider: "p",
    title: null,
    description: "Does it.",
    state: "invokable",
    reason: null,
    next: null,
    definition: "sha256:0",
    ...more,
  });
  const unmet = tool("p__unmet", { required_capabilities: ["usd", "x"], missing_capabilities: ["x"] });
  beforeEach(() => {
    wire.says.set("GET /v1/tools", [200, { tools: [tool("p__free"), unmet] }]);
    wire.says.set("GET /v1/providers", [200, { providers: [] }]);
  });

  it("say what is missing, and how to declare it", async () => {
    const { out, err } = await wire.run(["tools"]);
    expect(out).toMatch(/^p__free +invokable +Does it\.$/m);
    expect(out).toMatch(/^p__unmet +invokable +\(missing: x\) Does it\.$/m);
    expect(err).toBe("→ Declare what is missing: bailiwick capabilities add x\n");
  });

  it("--satisfied asks the host for those of which nothing is missing", async () => {
    wire.says.set("GET /v1/tools", [200, { tools: [tool("p__free")] }]);
    const { out } = await wire.run(["tools", "x", "--satisfied", "--json"]);
    expect(JSON.parse(out)).toEqual({ tools: [tool("p__free")] });
    const asked = wire.asked.map(({ what }) => what).filter((what) => what.includes("/v1/tools"));
    expect(asked).toEqual(["GET /v1/tools?q=x&satisfied=true"]);
  });

  it("say why the list is empty", async () => {
    wire.says.set("GET /v1/tools", [200, { tools: [] }]);
    expect((await wire.run(["tools", "--satisfied"])).err).toContain("nothing is missing");
  });
});
