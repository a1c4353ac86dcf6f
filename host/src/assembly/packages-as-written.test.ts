/** The package of the guide to capabilities and workspace roots, as it is written there, on a whole host. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { noPython, unlessNoPython } from "../skills/packages/run/python-for-tests.ts";
import type { TestDoor } from "../transport/door-for-tests.ts";
import { openTalk, type Talk } from "../transport/talk-for-tests.ts";
import {
  atEach,
  makePackagesPlace,
  openPackagesDoors,
  SKILL_MD,
  type Heard,
  type Json,
  type PackagesPlace,
} from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TOOLS = `# tools.yaml
tools:
  - name: import_usd
    description: Import a USD stage into the scene
    required_capabilities: [usd, scene.mutate, filesystem.read]

  - name: read_stage_metadata
    description: Read metadata from a USD stage without mutating the scene
    required_capabilities: [usd, scene.read, filesystem.read]

  - name: ping
    description: No capabilities required
`;

/** The function of the guide, its comment at the end followed by what it says, and two others beside it. */
const SCRIPT = `
def import_usd(path: str, _workspace_roots=None):
    if _workspace_roots is None:
        return error_result("import_usd", "no workspace roots advertised")
    try:
        resolved = _workspace_roots.resolve(path)
    except ValueError as e:
        return error_result("import_usd", str(e))
    # ...continue with \`resolved\` as an absolute PathBuf-equivalent
    with open("imported", "a") as done:
        done.write(resolved + "\\n")
    return {"stage": open(resolved).read(), "from": resolved}

def read_stage_metadata(path: str, _workspace_roots=None):
    return {"length": len(open(_workspace_roots.resolve(path)).read())}

def ping(_workspace_roots=None):
    return {"pong": True, "roots": _workspace_roots is not None}
`;

/** What the guide's host declares. */
const DECLARED = ["usd", "scene.read", "scene.mutate", "filesystem.read"];
const STAGE = "#usda 1.0\n";

const makeMaya = (capabilities: object): PackagesPlace => {
  const place = makePackagesPlace({ capabilities });
  const skill = SKILL_MD("maya", "    dcc: maya\n");
  place.put("maya", { "SKILL.md": skill, "tools.yaml": TOOLS, "scripts/maya.py": SCRIPT });
  const project = join(place.workDir, "workspaces/ws_default/project/assets");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "hero.usd"), STAGE);
  return place;
};

const valueOf = ({ result }: Heard): Json => (result?.["structuredContent"] ?? result?.["data"] ?? result) as Json;

describe.skipIf(noPython !== null)(`the package of the guide${unlessNoPython}`, () => {
  it("runs as it is written where the host declares what it needs, at every door", async () => {
    const place = makeMaya({ declared: DECLARED });
    const host = await place.start();
    const path = "workspace://assets/hero.usd";
    await atEach(await openPackagesDoors(host), async (door) => {
      const listed = JSON.stringify((await door.list()).filter((each) => JSON.stringify(each).includes("maya__")));
      expect(listed).toContain('"required_capabilities":["usd","scene.mutate","filesystem.read"]');
      expect(listed).not.toContain("missing_capabilities");
      expect(valueOf(await door.call("maya__import_usd", { path }))).toEqual({
        stage: STAGE,
        from: expect.stringMatching(/\/project\/assets\/hero\.usd$/),
      });
      expect(valueOf(await door.call("maya__read_stage_metadata", { path }))).toEqual({ length: 10 });
      expect(valueOf(await door.call("maya__ping"))).toEqual({ pong: true, roots: false });
    });
    expect((await host.rest("GET", "/v1/skills?dcc=maya")).json.skills).toMatchObject([
      { name: "maya", required_capabilities: ["filesystem.read", "scene.mutate", "scene.read", "usd"] },
    ]);
  });

  it("says in its own words that a path leads out of its roots, and that is a tool's error", async () => {
    const host = await makeMaya({ declared: DECLARED }).start();
    for (const path of ["../secret", "workspace://a/../../secret", "/etc/passwd"]) {
      const { json } = await host.rest("POST", "/v1/tools/call", { name: "maya__import_usd", arguments: { path } });
      expect(json).toMatchObject({
        isError: true,
        structuredContent: { success: false, message: "import_usd", error: expect.stringContaining("root") },
      });
    }
  });

  it("is refused before any of its code starts where something is missing, at every door, and ping still answers", async () => {
    const place = makeMaya({ declared: DECLARED.filter((name) => name !== "scene.mutate") });
    const host = await place.start();
    await atEach(await openPackagesDoors(host), async (door) => {
      const listed = JSON.stringify(await door.list());
      expect(listed).toContain('"missing_capabilities":["scene.mutate"]');
      const no = await door.call("maya__import_usd", { path: "workspace://assets/hero.usd" });
      expect(no.data).toMatchObject({
        kind: "capability_missing",
        retryable: false,
        tool: "maya__import_usd",
        required: ["usd", "scene.mutate", "filesystem.read"],
        missing: ["scene.mutate"],
        declared: ["usd", "scene.read", "filesystem.read"],
      });
      expect(no.message).toBe("capability_missing: tool 'maya__import_usd' requires scene.mutate");
      expect(valueOf(await door.call("maya__ping"))).toMatchObject({ pong: true });
    });
    expect(place.left("maya", "imported")).toEqual([]);
    await host.rest("PUT", "/v1/host/capabilities", { declared: DECLARED });
    const args = { path: "assets/hero.usd" };
    const { json } = await host.rest("POST", "/v1/tools/call", { name: "maya__import_usd", arguments: args });
    expect(json.structuredContent).toMatchObject({ stage: STAGE });
    expect(place.left("maya", "imported")).toHaveLength(1);
  });

  it("hears that there are no roots where there are none, and nobody can send it any", async () => {
    const place = makeMaya({ declared: DECLARED, roots: { list: [] } });
    const host = await place.start();
    await atEach(await openPackagesDoors(host), async (door) => {
      expect(JSON.stringify(await door.call("maya__import_usd", { path: "workspace://a" }))).toContain(
        "no workspace roots advertised",
      );
      const _workspace_roots = { profile: "permissive", roots: [{ name: "x", uri: "file:///", path: "/" }] };
      for (const tool of ["maya__import_usd", "maya__ping"]) {
        const sent = await door.call(tool, { path: "etc/passwd", _workspace_roots });
        expect(sent).toMatchObject({ kind: "invalid_input" });
      }
    });
    expect(place.left("maya", "imported")).toEqual([]);
  });

  it("works in the folder that a client on a pipe opens, and in the next one when the client opens another", async () => {
    const place = makeMaya({ declared: DECLARED });
    const host = await place.start();
    for (const name of ["first", "other folder"]) {
      mkdirSync(join(place.dir, name, "assets"), { recursive: true });
      writeFileSync(join(place.dir, name, "assets/hero.usd"), name);
    }
    const talk = talkTo(host);
    await talk.initialize({ roots: { listChanged: true } });
    talk.send({ method: "notifications/initialized" });
    await announce(talk, 1, `file://${join(place.dir, "first")}`);
    talk.request(1, "tools/call", { name: "maya__import_usd", arguments: { path: "workspace://assets/hero.usd" } });
    expect((await talk.answer(1)).result.structuredContent.stage).toBe("first");
    talk.send({ method: "notifications/roots/list_changed" });
    await announce(talk, 2, `file://${join(place.dir, "other%20folder")}`);
    talk.request(2, "tools/call", { name: "maya__import_usd", arguments: { path: "assets/hero.usd" } });
    expect((await talk.answer(2)).result.structuredContent.stage).toBe("other folder");
  });
});

const talkTo = (host: WholeHost): Talk => {
  const stdio: TestDoor["listener"]["stdio"] = ({ input, output }) => host.stdio({ input, output });
  const talk = openTalk({ listener: { stdio } } as TestDoor);
  onTestFinished(() => talk.endInput());
  return talk;
};

/** Answers the `count`th question for roots. */
const announce = async (talk: Talk, count: number, uri: string): Promise<void> => {
  const asked = (): Json[] => talk.heard.filter(({ method }) => method === "roots/list") as Json[];
  await until(() => asked().length === count);
  talk.send({ id: asked().at(-1)?.["id"], result: { roots: [{ uri, name: "opened" }] } });
};
