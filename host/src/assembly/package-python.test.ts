/** Python tools of skill packages as the host runs them, and all kinds of scripts in the sandbox. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unconfinable, unlessUnconfinable } from "../bundles/sandbox/confined-for-tests.ts";
import { noPython, unlessNoPython } from "../skills/packages/run/python-for-tests.ts";
import { callOf, factsOf, openPackage, type OpenedPackage } from "./package-scripts-for-tests.ts";

/** As the guide has it, with an end. */
const IMPORT_USD = `
def import_usd(path: str, _workspace_roots=None):
    if _workspace_roots is None:
        return error_result("import_usd", "no workspace roots advertised")
    try:
        resolved = _workspace_roots.resolve(path)
    except ValueError as e:
        return error_result("import_usd", str(e))
    print("reading", resolved)
    with open(resolved) as file:
        return {"stage": file.read()}
`;

const BWRAP = { profile: "bwrap", require: true, network: "host", read: [], write: [] } as const;

const call = async (
  { provider }: OpenedPackage,
  { args, required, root }: { readonly args: object; readonly required: readonly string[]; readonly root: string },
): Promise<Record<string, unknown>> => {
  const facts = factsOf(required, root);
  const answer = await provider.send(callOf("import_usd", JSON.stringify(args), { facts: () => facts }));
  return JSON.parse(answer.json) as Record<string, unknown>;
};

const makeRoot = ({ dir }: OpenedPackage): string => {
  const root = join(dir, "../hero");
  mkdirSync(join(root, "assets"), { recursive: true });
  writeFileSync(join(root, "assets/hero.usd"), "#usda 1.0");
  return root;
};

describe.skipIf(noPython !== null)(`a Python tool${unlessNoPython}`, () => {
  const required = ["usd", "filesystem.read"];

  test("runs as the guide has it written", async () => {
    const kit = openPackage({ import_usd: { text: IMPORT_USD, ext: "py" } });
    const root = makeRoot(kit);
    const args = { path: "workspace://assets/hero.usd" };
    expect(await call(kit, { args, required, root })).toMatchObject({ structuredContent: { stage: "#usda 1.0" } });
    expect(kit.provider.logs()).toEqual([`reading ${join(root, "assets/hero.usd")}`]);
    expect(await call(kit, { args: { path: "../x" }, required, root })).toMatchObject({
      isError: true,
      structuredContent: { success: false, message: "import_usd", error: expect.stringContaining("leads out of") },
    });
    expect(await call(kit, { args, required: ["usd"], root })).toMatchObject({
      isError: true,
      structuredContent: { error: "no workspace roots advertised" },
    });
  });

  test("leaves its package as it was accepted, whatever it imports", async () => {
    const kit = openPackage({ import_usd: { text: "import beside\ndef import_usd(): return 1", ext: "py" } });
    writeFileSync(join(kit.dir, "scripts/beside.py"), "");
    await call(kit, { args: {}, required, root: kit.dir });
    expect(readdirSync(join(kit.dir, "scripts")).toSorted()).toEqual(["beside.py", "import_usd.py"]);
  });

  test.skipIf(unconfinable !== null)(`runs in the sandbox too${unlessUnconfinable}`, async () => {
    // The system's own: one in the home is not there inside.
    const env = { ...process.env, PATH: "/usr/bin:/bin" };
    const kit = openPackage({ import_usd: { text: IMPORT_USD, ext: "py" } }, { sandbox: BWRAP, env });
    const root = makeRoot(kit);
    const args = { path: "assets/hero.usd" };
    expect(await call(kit, { args, required, root })).toMatchObject({ structuredContent: { stage: "#usda 1.0" } });
  });
});

describe.skipIf(unconfinable !== null)(`a confined tool and its roots${unlessUnconfinable}`, () => {
  const WRITE = `
    import { readFileSync, writeFileSync } from "node:fs";
    const { arguments: { path }, _workspace_roots } = JSON.parse(readFileSync(0, "utf8"));
    let wrote = true;
    try { writeFileSync(path, "new"); } catch { wrote = false; }
    console.log(JSON.stringify({ wrote, roots: _workspace_roots?.roots.length ?? 0 }));`;

  test.each([
    [["filesystem.read"], { wrote: false, roots: 1 }],
    [["filesystem.read", "filesystem.write"], { wrote: true, roots: 1 }],
    [["scene.read"], { wrote: false, roots: 0 }],
  ])("may do there what it requires: %j", async (required, expected) => {
    const kit = openPackage({ import_usd: { text: WRITE, ext: "mjs" } }, { sandbox: BWRAP });
    const root = makeRoot(kit);
    const path = join(root, "assets/hero.usd");
    expect(await call(kit, { args: { path }, required, root })).toMatchObject({ structuredContent: expected });
    expect(readFileSync(path, "utf8")).toBe(expected.wrote ? "new" : "#usda 1.0");
  });
});
