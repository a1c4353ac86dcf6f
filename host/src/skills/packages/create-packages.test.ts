import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { makeDir, write } from "../skills-for-tests.ts";
import { callTool, openPackages, packageFiles, SCRIPT, toolsOf } from "./packages-for-tests.ts";

const TOOLS = "tools:\n  - name: one\n    description: First.\n  - name: two\n";

const makePackage = (name = "pkg", tools = TOOLS): string => {
  const dir = makeDir();
  write(join(dir, name), packageFiles(name, tools));
  return dir;
};

const refusalOf = async (asked: Promise<unknown>): Promise<Refusal> => {
  const no = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  expect(no).toBeInstanceOf(Refusal);
  return no as Refusal;
};

describe("a package that is seen for the first time", () => {
  it("is accepted by that, recorded, served, and runs", async () => {
    const { packages, providers, said, events } = await openPackages(makePackage());
    expect(said).toEqual(["add pkg"]);
    expect(toolsOf(providers.get("pkg"))).toEqual(["one", "two"]);
    expect(events).toMatchObject([
      { type: "package.accepted", data: { package: "pkg", because: "first_seen", before: null, count: 2 } },
    ]);
    const { value } = (await callTool(providers.get("pkg"), "one")) as { value: Record<string, unknown> };
    expect(value["structuredContent"]).toEqual({ ok: "one" });
    const detail = packages.detail("pkg", new Map());
    expect(detail).toMatchObject({ state: "ready", version: "1.0.0", reason: null });
    expect(detail?.accepted).toBe(detail?.digest);
  });

  it("is not served when that cannot be recorded", async () => {
    const reports: unknown[] = [];
    const { packages, providers } = await openPackages(makePackage(), {
      onEvent: () => Promise.reject(new Error("the log is full")),
      report: (error) => void reports.push(error),
    });
    expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_new", "two held definition_new"]);
    expect(packages.detail("pkg", new Map())?.state).toBe("held");
    expect(reports).toHaveLength(1);
    await packages.refresh();
    expect(reports).toHaveLength(1);
  });

  it("leaves a file that only the host's user reads, and is known after a restart", async () => {
    const dir = makePackage();
    const first = await openPackages(dir);
    await first.packages.close();
    expect(statSync(join(dir, ".state", "packages.json")).mode & 0o777).toBe(0o600);
    const second = await openPackages(dir);
    expect(second.events).toEqual([]);
    expect(toolsOf(second.providers.get("pkg"))).toEqual(["one", "two"]);
  });
});

describe("a package that is changed on disk", () => {
  it.each([
    ["a script", (dir: string) => writeFileSync(join(dir, "pkg/scripts/run.mjs"), `${SCRIPT}// more\n`)],
    ["a file nobody names", (dir: string) => writeFileSync(join(dir, "pkg/.hidden"), "x")],
    ["the right to run a file", (dir: string) => chmodSync(join(dir, "pkg/scripts/run.mjs"), 0o755)],
    ["where a link leads", (dir: string) => symlinkSync("run.mjs", join(dir, "pkg/scripts/other.mjs.txt"))],
  ])("is held as it was accepted, by %s, until a person takes it", async (_, change) => {
    const dir = makePackage();
    const { packages, providers, events, said } = await openPackages(dir);
    const definition = (): string | undefined => providers.get("pkg")?.catalogue().tools[0]?.definition;
    const accepted = definition();
    change(dir);
    await packages.refresh();
    expect(definition()).toBe(accepted);
    expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_changed", "two held definition_changed"]);
    expect(providers.get("pkg")?.catalogue().tools[0]?.value["description"]).toBe("First.");
    const held = packages.detail("pkg", new Map());
    expect(held).toMatchObject({ state: "held", reason: expect.stringContaining("bailiwick skill accept pkg") });
    await packages.accept("pkg", held?.digest ?? "", "p1");
    expect(toolsOf(providers.get("pkg"))).toEqual(["one", "two"]);
    expect(definition()).not.toBe(accepted);
    expect(events.map(({ type }) => type)).toEqual(["package.accepted", "package.held", "package.accepted"]);
    expect(events[2]?.data).toMatchObject({
      because: "person",
      by: "p1",
      before: held?.accepted,
      digest: held?.digest,
    });
    expect(said).toEqual(["add pkg", "changed pkg", "changed pkg"]);
  });

  it("shows of a new tool the name alone, and no longer one that is gone", async () => {
    const dir = makePackage();
    const { packages, providers } = await openPackages(dir);
    write(join(dir, "pkg"), {
      "tools.yaml": "tools:\n  - name: one\n    description: Evil.\n  - name: fresh\n    description: Evil.\n",
    });
    await packages.refresh();
    expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_changed", "fresh held definition_new"]);
    expect(JSON.stringify(providers.get("pkg")?.catalogue())).not.toContain("Evil");
  });

  it("is not run, even before the change was noticed", async () => {
    const dir = makePackage();
    const { packages, providers } = await openPackages(dir);
    await callTool(providers.get("pkg"), "one");
    writeFileSync(join(dir, "pkg/scripts/run.mjs"), SCRIPT.replace("ok", "no"));
    expect((await refusalOf(callTool(providers.get("pkg"), "one"))).kind).toBe("definition_changed");
    await packages.refresh();
    expect(packages.detail("pkg", new Map())?.state).toBe("held");
    writeFileSync(join(dir, "pkg/scripts/run.mjs"), SCRIPT);
    await packages.refresh();
    expect(toolsOf(providers.get("pkg"))).toEqual(["one", "two"]);
  });

  it("stays held over a restart", async () => {
    const dir = makePackage();
    await (await openPackages(dir)).packages.close();
    writeFileSync(join(dir, "pkg/more.txt"), "x");
    const { providers } = await openPackages(dir);
    expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_changed", "two held definition_changed"]);
  });

  it("is accepted only as it was looked at, and only if it can be served", async () => {
    const dir = makePackage();
    const { packages } = await openPackages(dir);
    writeFileSync(join(dir, "pkg/more.txt"), "x");
    await packages.refresh();
    const looked = packages.detail("pkg", new Map())?.digest ?? "";
    writeFileSync(join(dir, "pkg/more.txt"), "y");
    expect((await refusalOf(packages.accept("pkg", looked, "p"))).kind).toBe("stale_surface");
    expect((await refusalOf(packages.accept("none", looked, "p"))).kind).toBe("not_found");
    writeFileSync(join(dir, "pkg/tools.yaml"), "tools: []\n");
    expect((await refusalOf(packages.accept("pkg", looked, "p"))).kind).toBe("bad_request");
  });
});

describe("what was accepted", () => {
  it.each(["", "{", '{"format":2}', '{"format":1,"incomplete":false,"packages":[{"name":"pkg"}]}'])(
    "holds everything when it cannot be read: %j",
    async (text) => {
      const dir = makePackage();
      write(join(dir, "other"), packageFiles("other", "tools: [x]\n"));
      write(dir, { ".state/packages.json": text });
      const { packages, providers, events } = await openPackages(dir);
      expect(events.map(({ type }) => type)).toEqual(["package.pins_unreadable", "package.held", "package.held"]);
      expect(toolsOf(providers.get("pkg"))).toEqual(["one held definition_new", "two held definition_new"]);
      expect(readFileSync(join(dir, ".state/packages.json"), "utf8")).toBe(text);
      await packages.accept("pkg", packages.detail("pkg", new Map())?.digest ?? "", "p");
      await packages.close();
      const again = await openPackages(dir);
      expect(toolsOf(again.providers.get("pkg"))).toEqual(["one", "two"]);
      expect(toolsOf(again.providers.get("other"))).toEqual(["x held definition_new"]);
    },
  );

  it("holds everything when a definition in it was touched", async () => {
    const dir = makePackage();
    await (await openPackages(dir)).packages.close();
    const file = join(dir, ".state/packages.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("First.", "Other."));
    const { events } = await openPackages(dir);
    expect(events[0]).toMatchObject({
      type: "package.pins_unreadable",
      data: { reason: expect.stringContaining("one") },
    });
  });
});

describe("packages that come and go", () => {
  it("are announced, changed and taken back by the next look", async () => {
    const dir = makePackage();
    const { packages, providers, said } = await openPackages(dir);
    write(join(dir, "later"), packageFiles("later", "tools: [x]\n"));
    await packages.refresh();
    expect(toolsOf(providers.get("later"))).toEqual(["x"]);
    rmSync(join(dir, "pkg"), { recursive: true });
    await packages.refresh();
    expect(said).toEqual(["add pkg", "add later", "remove pkg"]);
    expect(packages.seen(new Map())).toMatchObject([{ name: "later", state: "ready", tools: ["later__x"] }]);
    expect(packages.has("pkg")).toBe(false);
  });

  it("are found without being asked", async () => {
    const dir = makeDir();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { packages } = await openPackages(dir, { checkMs: 5, onChange: resolve });
    write(join(dir, "pkg"), packageFiles("pkg", TOOLS));
    await promise;
    expect(packages.seen(new Map())).toHaveLength(1);
  });

  it("end their processes when they are gone", async () => {
    const dir = makeDir();
    write(join(dir, "pkg"), packageFiles("pkg", "tools: [run]\n"));
    const { packages, providers } = await openPackages(dir);
    const provider = providers.get("pkg");
    rmSync(join(dir, "pkg"), { recursive: true });
    await packages.refresh();
    expect((await refusalOf(callTool(provider, "run"))).kind).toBe("not_ready");
  });
});

describe("two packages of one name", () => {
  const both = async (second: string) => {
    const [early, late] = [makeDir(), makeDir()];
    write(join(early, "a"), packageFiles("pkg", "tools: [early]\n"));
    write(join(late, "b"), packageFiles("pkg", second));
    const dirs = () => [
      { path: early, source: "user" },
      { path: late, source: "workspace" },
    ];
    return openPackages(early, { dirs });
  };

  it("are one, the later, which says so", async () => {
    const { packages, providers } = await both("tools: [late]\n");
    expect(toolsOf(providers.get("pkg"))).toEqual(["late"]);
    const [row] = packages.seen(new Map());
    expect(row).toMatchObject({
      source: "workspace",
      diagnostics: [{ message: expect.stringContaining("user"), warning: true }],
    });
  });

  it("are the earlier where the later cannot be used", async () => {
    const { packages, providers } = await both("tools: []\n");
    expect(toolsOf(providers.get("pkg"))).toEqual(["early"]);
    expect(packages.seen(new Map())[0]?.diagnostics).toHaveLength(2);
  });
});

describe("a name that is not free", () => {
  it.each(["skills", "files", "taken"])("keeps the package %s from being served, and that is told", async (name) => {
    const dir = makePackage(name);
    const { packages, said, events } = await openPackages(dir, { isTaken: (each) => each === "taken" });
    expect(said).toEqual([]);
    expect(events).toEqual([]);
    expect(packages.seen(new Map())).toMatchObject([
      { state: "broken", diagnostics: [{ reason_code: "invalid_frontmatter_shape", pointer: "SKILL.md#/name" }] },
    ]);
  });

  it("ends a package that was served, since its tools could not be told from the other's", async () => {
    const dir = makePackage();
    let taken = false;
    const { packages, said } = await openPackages(dir, { isTaken: () => taken });
    taken = true;
    await packages.refresh();
    expect(said).toEqual(["add pkg", "remove pkg"]);
    expect(packages.seen(new Map())).toMatchObject([{ state: "broken", tools: [] }]);
  });
});
