/** What must never happen with packages: something is lost without a word, leaves its folder, or is said to be there and is not. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { write } from "../skills/skills-for-tests.ts";
import { makePackagesPlace, SKILL_MD, stateOf, type Json } from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const call = (host: WholeHost, name: string, args: object = {}) =>
  host.rest("POST", "/v1/tools/call", { name, arguments: args });
const flat = (host: WholeHost, provider: string): string[] =>
  host
    .tools()
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${provider}__`));
const told = ({ diagnostics }: Json): string[] =>
  diagnostics.map(
    ({ reason_code, pointer = "", warning }: Json) => `${reason_code} ${pointer}${warning ? " (warning)" : ""}`,
  );

const OK = "echo 1";

describe("never: one bad entry empties the package, or something is dropped without a word", () => {
  it("an entry, a key, a name, a group and a file beside are each told with their place, and the rest is served", async () => {
    const place = makePackagesPlace();
    const skill = `---
name: odd
description: d
metadata:
  dcc-mcp.dcc: maya
  dcc-mcp:
    tools: tools.yaml
    tgas: [x]
---
`;
    const tools = `tools:
  - name: good
  - name: bad name
  - name: good
  - name: typed
    read_only: "yes"
  - name: late
    deferred: true
  - name: extra
    inputSchema: {type: object}
  - 7
groups:
  - {name: g, tools: [good, nobody]}
`;
    place.put("odd", { "SKILL.md": skill, "tools.yaml": tools, "tools.yml": "tools: [x]", "scripts/all.sh": OK });
    const host = await place.start();
    expect(flat(host, "odd")).toEqual(["odd__extra", "odd__good"]);
    expect(told(await stateOf(host, "odd")).toSorted()).toEqual(
      [
        "invalid_frontmatter_shape SKILL.md#/metadata/dcc-mcp.dcc (warning)",
        "invalid_frontmatter_shape SKILL.md#/metadata/dcc-mcp/tgas (warning)",
        "unreferenced_tools_file SKILL.md#/metadata/dcc-mcp/tools (warning)",
        "invalid_tool tools.yaml#/tools/1/name",
        "duplicate_tool tools.yaml#/tools/2/name",
        "invalid_tool tools.yaml#/tools/3/read_only",
        "invalid_tool tools.yaml#/tools/4/deferred",
        "invalid_tool tools.yaml#/tools/5/inputSchema (warning)",
        "invalid_tool tools.yaml#/tools/6",
        "invalid_tool tools.yaml#/groups/0/tools/1 (warning)",
      ].toSorted(),
    );
    expect(JSON.stringify(await stateOf(host, "odd"))).toContain("did you mean input_schema");
  });
});

describe("never: a script, a reference or a link leaves the package, or a script sees what nobody granted", () => {
  const hostile = `tools:
  - {name: up, source_file: ../outside.sh}
  - {name: absolute, source_file: OUTSIDE}
  - {name: encoded, source_file: "scripts/%2e%2e/%2e%2e/outside.sh"}
  - {name: backslash, source_file: "..\\\\outside.sh"}
  - {name: inside, source_file: scripts/inside.sh}
  - {name: own, source_file: scripts/own.sh}
`;

  it("entries that lead out are not served, by whichever way, and one that stays inside by a link is", async () => {
    const place = makePackagesPlace();
    const outside = join(place.at("out"), "../../outside.sh");
    place.put("out", {
      "tools.yaml": hostile.replace("OUTSIDE", outside),
      "scripts/own.sh": OK,
    });
    writeFileSync(outside, "echo evil > evil; echo 1");
    symlinkSync("own.sh", place.at("out", "scripts/inside.sh"));
    const host = await place.start();
    expect(flat(host, "out")).toEqual(["out__inside", "out__own"]);
    const codes = ((await stateOf(host, "out"))["diagnostics"] as Json[])
      .filter(({ warning }) => !warning)
      .map(({ tool, reason_code }) => `${tool} ${reason_code}`);
    expect(codes).toEqual([
      "up path_outside_package",
      "absolute path_outside_package",
      "encoded invalid_tool",
      "backslash invalid_tool",
    ]);
    for (const tool of ["up", "absolute", "encoded", "backslash"]) {
      expect((await call(host, `out__${tool}`)).status).toBe(404);
    }
    expect((await call(host, "out__inside")).json).toMatchObject({ structuredContent: { result: 1 } });
    expect(place.left("out", "evil")).toEqual([]);
  });

  it.each([
    ["a script", "scripts/link.sh", "../../../outside.sh"],
    ["a folder", "folder", "../.."],
    ["a file that nothing names", "notes.txt", "/etc/hostname"],
  ])(
    "a link that leads out, as %s, is told, and nothing that could be read through it is run",
    async (_, at, target) => {
      const place = makePackagesPlace();
      const tools = "tools: [{name: x, source_file: scripts/link.sh}, {name: y, source_file: folder/outside.sh}, own]";
      place.put("out", { "tools.yaml": tools, "scripts/own.sh": OK });
      writeFileSync(join(place.at("out"), "../../outside.sh"), "echo evil > evil; echo 1");
      symlinkSync(target, place.at("out", at));
      const host = await place.start();
      for (const tool of ["x", "y"]) expect((await call(host, `out__${tool}`)).status).toBe(404);
      expect(told(await stateOf(host, "out")).join("\n")).toContain("path_outside_package");
      expect(place.left("out", "evil")).toEqual([]);
    },
  );

  it.each(["../tools.yaml", "/etc/tools.yaml", "linked.yaml"])("a tools file at %s is not read", async (reference) => {
    const place = makePackagesPlace();
    place.put("out", { "SKILL.md": SKILL_MD("out").replace("tools.yaml", reference), "scripts/x.sh": OK });
    write(join(place.at("out"), ".."), { "tools.yaml": "tools: [x]" });
    symlinkSync("../tools.yaml", place.at("out", "linked.yaml"));
    const host = await place.start();
    expect(flat(host, "out")).toEqual([]);
    expect(told(await stateOf(host, "out"))).toContain("path_outside_package SKILL.md#/metadata/dcc-mcp/tools");
  });

  it("a script sees the few variables that every process gets, and what was granted, and no more", async () => {
    vi.stubEnv("NEVER_SECRET", "s3cr3t-of-the-host");
    onTestFinished(() => void vi.unstubAllEnvs());
    const place = makePackagesPlace({ capabilities: { env: { see: ["NEVER_SECRET"] } } });
    const skill = SKILL_MD("see");
    place.put("see", { "SKILL.md": skill, "tools.yaml": "tools: [all]", "scripts/all.sh": "env > seen; echo 1" });
    const host = await place.start();
    expect((await call(host, "see__all")).status).toBe(200);
    const names = place.left("see", "seen").map((line) => line.split("=")[0] ?? "");
    expect(names).not.toContain("NEVER_SECRET");
    expect(names.filter((name) => /KEY|TOKEN|SECRET|VITEST/.test(name))).toEqual([]);
    // It was granted, and the package does not ask for it.
    expect(JSON.stringify((await stateOf(host, "see"))["diagnostics"])).toContain("does not ask for");
  });
});

describe("never: loading reports success when nothing was loaded", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["whose every entry is wrong", { "tools.yaml": "tools: [{name: x, source_file: gone.sh}]" }, "invalid_tool"],
    ["without any entry", { "tools.yaml": "tools: []" }, "invalid_tool"],
    ["whose tools file is not there", {}, "tools_file_missing"],
    ["whose tools file is no YAML", { "tools.yaml": "tools: [" }, "invalid_tool"],
    [
      "with a key that does not belong there",
      { "SKILL.md": "---\nversion: 1\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n", "tools.yaml": "tools: [x]" },
      "non_spec_top_level_keys",
    ],
    [
      "without SKILL.md's front matter",
      { "SKILL.md": "# Nothing\n", "tools.yaml": "tools: [x]" },
      "missing_frontmatter",
    ],
  ])("a package %s is there, broken, and says why", async (_, files, reason) => {
    const place = makePackagesPlace();
    place.put("none", { ...files, "scripts/x.sh": OK });
    const host = await place.start();
    expect(flat(host, "none")).toEqual([]);
    const seen = await stateOf(host, "none");
    expect(seen).toMatchObject({ state: "broken", available: false, tools: [] });
    expect(told(seen).join("\n")).toContain(reason);
    const { digest } = seen;
    expect((await host.rest("POST", "/v1/skills/none/accept", { digest })).status).toBeGreaterThanOrEqual(400);
    expect(place.evidence("package_accepted")).toEqual([]);
  });

  it("a package that is called like a bundle or a part of the host is told so, and takes nobody's place", async () => {
    const place = makePackagesPlace();
    place.configure({ bundles: [{ path: place.bundle("drill") }] });
    for (const name of ["drill", "files"]) place.put(name, { "tools.yaml": "tools: [x]", "scripts/x.sh": OK });
    const host = await place.start();
    await host.until("drill", "running");
    for (const name of ["drill", "files"]) {
      expect(flat(host, name)).not.toContain(`${name}__x`);
      expect(flat(host, name).length).toBeGreaterThan(0);
      expect(await stateOf(host, name)).toMatchObject({ kind: "package", state: "broken", available: false });
      expect((await stateOf(host, name))["diagnostics"][0].suggested_fix).toBe("Give the package another name.");
    }
  });

  it("a folder that comes later is served without a restart, and one that goes is gone", async () => {
    const place = makePackagesPlace();
    mkdirSync(join(place.at("x"), ".."), { recursive: true });
    const host = await place.start();
    place.put("late", { "tools.yaml": "tools: [x]", "scripts/x.sh": OK });
    await until(() => flat(host, "late").length === 1);
    expect((await call(host, "late__x")).json).toMatchObject({ structuredContent: { result: 1 } });
    rmSync(place.at("late"), { recursive: true });
    await until(() => flat(host, "late").length === 0);
    expect((await host.rest("GET", "/v1/skills/late")).status).toBe(404);
  });
});
