import { spawn } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunScript } from "../../kernel/script.ts";
import { makeDir, write } from "../skills-for-tests.ts";
import { callTool, manifestOf, openPackages, packageFiles, SCRIPT, toolsOf } from "./packages-for-tests.ts";
import { PackagePins } from "./package-pins.ts";

const TOOLS = "tools: [one, two]\n";

const makePackage = (folder = "pkg", tools = TOOLS): { readonly dir: string; readonly root: string } => {
  const dir = makeDir();
  const root = join(dir, folder);
  write(root, packageFiles("pkg", tools));
  return { dir, root };
};

const HELD = ["one held definition_changed", "two held definition_changed"];

describe("a package that is served and cannot be served any more", () => {
  it.each<[string, (root: string) => void]>([
    ["tools.yaml is half written", (root) => writeFileSync(join(root, "tools.yaml"), "tools: [one\n")],
    ["tools.yaml is empty", (root) => writeFileSync(join(root, "tools.yaml"), "")],
    ["tools.yaml is gone", (root) => rmSync(join(root, "tools.yaml"))],
    ["SKILL.md is empty", (root) => writeFileSync(join(root, "SKILL.md"), "")],
    ["SKILL.md is gone", (root) => rmSync(join(root, "SKILL.md"))],
    ["it is empty", (root) => ["SKILL.md", "tools.yaml", "scripts"].forEach((name) => rmSync(join(root, name), ALL))],
    ["a script is gone", (root) => rmSync(join(root, "scripts/run.mjs"))],
  ])("is held with the reason, whatever its folder is called, and is served again: %s", async (_, breakIt) => {
    const { dir, root } = makePackage("folder");
    const { packages, providers, said, events } = await openPackages(dir);
    const provider = providers.get("pkg");
    breakIt(root);
    await packages.refresh();
    await packages.refresh();
    expect(said).toEqual(["add pkg", "changed pkg"]);
    expect(toolsOf(provider)).toEqual(HELD);
    await expect(callTool(provider, "one")).rejects.toMatchObject({ kind: "definition_changed" });
    const [row] = packages.seen(new Map());
    expect(row).toMatchObject({ name: "pkg", state: "held", description: "What pkg is for." });
    expect(row?.reason).toContain("Nothing of it runs until that is mended: bailiwick skill info pkg");
    expect(row?.diagnostics.length).toBeGreaterThan(0);
    const { digest } = packages.detail("pkg", new Map()) ?? {};
    await expect(packages.accept("pkg", digest ?? "", "p")).rejects.toMatchObject({ kind: "bad_request" });
    write(root, packageFiles("pkg", TOOLS));
    await packages.refresh();
    expect(toolsOf(provider)).toEqual(["one", "two"]);
    expect(said).toEqual(["add pkg", "changed pkg", "changed pkg"]);
    expect(events.map(({ type }) => type)).toEqual(["package.accepted", "package.held"]);
  });

  it("is held too where its tools stand in another file", async () => {
    const dir = makeDir();
    const files = { "SKILL.md": manifestOf("pkg").replace("tools.yaml", "more/mine.yml"), "more/mine.yml": TOOLS };
    write(join(dir, "pkg"), { ...files, "scripts/run.mjs": SCRIPT });
    const { packages, providers, said } = await openPackages(dir);
    for (const text of ["---\nname: pkg\n", null]) {
      if (text === null) rmSync(join(dir, "pkg/SKILL.md"));
      else writeFileSync(join(dir, "pkg/SKILL.md"), text);
      await packages.refresh();
      expect(toolsOf(providers.get("pkg"))).toEqual(HELD);
    }
    expect(said).toEqual(["add pkg", "changed pkg"]);
  });

  it("lets what runs of it end", async () => {
    const { dir, root } = makePackage();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<AbortSignal>();
    const run: RunScript = async ({ signal }) => {
      start(signal);
      await ended;
      const stdout = Buffer.from('{"ok":1}');
      return { how: "exited", code: 0, signal: null, stdout, lastLine: null, opening: "" };
    };
    const { packages, providers } = await openPackages(dir, { run });
    const call = callTool(providers.get("pkg"), "one");
    const signal = await started;
    writeFileSync(join(root, "tools.yaml"), "tools: [one\n");
    await packages.refresh();
    expect(signal.aborted).toBe(false);
    end();
    expect(await call).toMatchObject({ value: { structuredContent: { ok: 1 } } });
  });

  it("ends when its folder is gone, is renamed, or says that it is a skill", async () => {
    for (const leave of [
      (root: string) => rmSync(root, ALL),
      (root: string) => renameSync(root, join(root, "../.away")),
      (root: string) => writeFileSync(join(root, "SKILL.md"), "---\nname: pkg\ndescription: A skill.\n---\n"),
    ]) {
      const { dir, root } = makePackage();
      const { packages, said } = await openPackages(dir);
      writeFileSync(join(root, "tools.yaml"), "");
      await packages.refresh();
      leave(root);
      await packages.refresh();
      expect(said).toEqual(["add pkg", "changed pkg", "remove pkg"]);
      expect(packages.seen(new Map())).toEqual([]);
    }
  });

  it("is broken where it was never served", async () => {
    const { dir } = makePackage("pkg", "tools: [\n");
    const { packages, said } = await openPackages(dir);
    await packages.refresh();
    expect(said).toEqual([]);
    expect(packages.seen(new Map())).toMatchObject([{ state: "broken" }]);
  });
});

describe("a file that comes and goes while the package is looked at", () => {
  it("never ends it, and is recorded as one change", async () => {
    const { dir, root } = makePackage();
    const { packages, said, events } = await openPackages(dir);
    const loop = `while [ -e go ]; do : > scripts/.run.mjs.swp; rm -f scripts/.run.mjs.swp; done`;
    writeFileSync(join(root, ".git"), "");
    writeFileSync(join(dir, "go"), "");
    const child = spawn("sh", ["-c", loop.replace("go", join(dir, "go"))], { cwd: root, stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    onTestFinished(() => void child.kill("SIGKILL"));
    for (let i = 0; i < 300; i++) await packages.refresh();
    rmSync(join(dir, "go"));
    await ended;
    expect(existsSync(join(root, "scripts/.run.mjs.swp"))).toBe(false);
    await packages.refresh();
    expect(packages.seen(new Map())).toMatchObject([{ state: "ready" }]);
    expect(said).not.toContain("remove pkg");
    expect(events.filter(({ type }) => type === "package.held").length).toBeLessThanOrEqual(2);
  });

  it("is told again after a person has taken what was there", async () => {
    const { dir, root } = makePackage();
    const { packages, events } = await openPackages(dir);
    const held = (): number => events.filter(({ type }) => type === "package.held").length;
    for (let i = 0; i < 3; i++) {
      write(root, { more: "x" });
      await packages.refresh();
      rmSync(join(root, "more"));
      await packages.refresh();
    }
    expect(held()).toBe(1);
    write(root, { more: "x" });
    await packages.refresh();
    await packages.accept("pkg", packages.detail("pkg", new Map())?.digest ?? "", "p");
    rmSync(join(root, "more"));
    await packages.refresh();
    expect(held()).toBe(2);
  });
});

describe("a package that lies where calls can write", () => {
  it("is held when it is first seen, at the start and later, until a person takes it", async () => {
    const { dir, root } = makePackage();
    const open = () => openPackages(dir, { isWritable: (path) => path === root });
    const { packages, providers, events } = await open();
    expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_new", "two held definition_new"]);
    expect(events.map(({ type }) => type)).toEqual(["package.held"]);
    const detail = packages.detail("pkg", new Map());
    expect(detail).toMatchObject({
      state: "held",
      reason: expect.stringMatching(/^It lies where tools can write files.*bailiwick skill accept pkg$/),
    });
    write(join(dir, "other"), packageFiles("other", TOOLS));
    await packages.refresh();
    expect(toolsOf(providers.get("other"))).toEqual(["one", "two"]);
    await packages.accept("pkg", detail?.digest ?? "", "p");
    expect(toolsOf(providers.get("pkg"))).toEqual(["one", "two"]);
    await packages.close();
    expect(toolsOf((await open()).providers.get("pkg"))).toEqual(["one", "two"]);
  });
});

describe("what was accepted of very many packages", () => {
  const accepted = { digest: "sha256:0", tools: new Map(), files: new Map() };
  const all = Array.from({ length: 2_000 }, (_, i) => `p${i}`);
  /** One more is accepted than are kept. */
  const fill = async (here: readonly string[]): Promise<PackagePins> => {
    const dir = makeDir();
    const known = all.map((name) => ({ name, digest: accepted.digest, tools: [], files: [] }));
    write(dir, { "pins.json": JSON.stringify({ format: 1, incomplete: false, packages: known }) });
    const pins = new PackagePins(join(dir, "pins.json"));
    await pins.read();
    pins.keep(here);
    await pins.accept("last", accepted);
    expect(pins.of("last")).toEqual(accepted);
    return pins;
  };

  it("is forgotten of those that are gone first", async () => {
    const pins = await fill(["p0", "p1"]);
    expect([pins.of("p0"), pins.of("p1"), pins.of("p2")]).toEqual([accepted, accepted, null]);
    expect(pins.isNew("p2")).toBe(true);
  });

  it("lets nothing be new any more once it is forgotten of one that is there", async () => {
    const pins = await fill([...all, "last"]);
    expect(pins.of("p0")).toBeNull();
    expect(pins.isNew("p0")).toBe(false);
  });
});

const ALL = { recursive: true, force: true };
