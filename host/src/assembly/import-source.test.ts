import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyImport } from "./import-apply.ts";
import { findImportPlace } from "./import-place.ts";
import { planImport } from "./import-plan.ts";
import { readImportSource } from "./import-source.ts";
import { loadConfig } from "./load-config.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-import-"));
  mkdirSync(join(dir, "home"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const put = (path: string, content: string | object): string => {
  const file = join(dir, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};

const placeNow = (workspace = "ws_default") => {
  const [home, env] = [join(dir, "home"), {}];
  const loaded = loadConfig({ workDirFlag: join(dir, "work"), env, cwd: join(dir, "home"), home });
  return findImportPlace({ loaded, workspace, home, env });
};

const planOf = async (path: string) => {
  const place = await placeNow();
  return { place, plan: planImport(await readImportSource(join(dir, path), place), place) };
};

const apply = async (path: string) => {
  const { plan, place } = await planOf(path);
  return { plan, ...(await applyImport(plan, place)) };
};

const SKILL = "---\nname: report\nmetadata:\n  triggers: [weekly report]\n---\nWrite it.\n";
const LOG = `${JSON.stringify({ id: "conv_abcdef123456", createdAt: "2026-11-15T10:30:00.000Z" })}\n`;
const workFile = (path: string): string => join(dir, "work", path);
const config = (): { bundles: unknown[] } => JSON.parse(readFileSync(workFile("bailiwick.json"), "utf8")) as never;

describe("a directory of NimbleBrain", () => {
  beforeEach(() => {
    put("nb/nimblebrain.json", { identity: "We.", bundles: [{ path: "./mine" }] });
    put("nb/workspace.json", { name: "Sales", bundles: [{ url: "https://a.example/mcp", serverName: "a" }] });
    put("nb/skills/report.md", SKILL);
    put("nb/skills/forms/SKILL.md", "---\nname: forms\ndescription: Fills forms.\n---\nSee references/a.md.\n");
    put("nb/skills/forms/references/a.md", "A");
    put("nb/conversations/conv_abcdef123456.jsonl", LOG);
    put("nb/conversations/conv_abcdef123456.meta.json", "{}");
  });

  it("is taken over with skills and conversations, for the owner's eyes alone; a second time all is there", async () => {
    put("work/bailiwick.json", '{\n  "zeta": 1\n}');
    const { backup } = await apply("nb");
    expect(config()).toEqual({
      zeta: 1,
      bundles: [{ path: join(dir, "nb/mine") }, { url: "https://a.example/mcp", serverName: "a" }],
      identity: "We.",
    });
    expect(readFileSync(backup ?? "", "utf8")).toBe('{\n  "zeta": 1\n}');
    expect(readFileSync(workFile("workspaces/ws_default/skills/report.md"), "utf8")).toBe(SKILL);
    expect(readFileSync(workFile("workspaces/ws_default/skills/forms/references/a.md"), "utf8")).toBe("A");
    const log = workFile("workspaces/ws_default/conversations/conv_abcdef123456.jsonl");
    expect([readFileSync(log, "utf8"), statSync(log).mode & 0o777]).toEqual([LOG, 0o600]);
    writeFileSync(log, `${LOG}{"role":"user","content":"on","ts":"2026-11-16T00:00:00Z"}\n`);
    const before = readdirSync(workFile(""));
    const again = await apply("nb");
    expect(again.plan.steps.map(({ action, from }) => [action, from])).toEqual([
      ["there", "./mine"],
      ["there", "a"],
      ["there", "identity"],
      ["skip", "name"],
      ["there", "forms"],
      ["there", "report.md"],
      ["there", "conv_abcdef123456"],
    ]);
    expect([again.backup, readdirSync(workFile(""))]).toEqual([null, before]);
    expect(readFileSync(log, "utf8")).toContain('"on"');
    expect(readdirSync(workFile("workspaces/ws_default/skills"))).toEqual(["forms", "report.md"]);
  });

  it("overwrites no skill of the same name", async () => {
    put("work/workspaces/ws_default/skills/report.md", "mine");
    const { plan } = await apply("nb");
    expect(plan.steps.find(({ from }) => from === "report.md")).toMatchObject({ action: "skip" });
    expect(readFileSync(workFile("workspaces/ws_default/skills/report.md"), "utf8")).toBe("mine");
  });

  it("of the user itself has its skills read where they are", async () => {
    put("home/.nimblebrain/skills/report.md", SKILL);
    const { plan } = await planOf("home/.nimblebrain");
    expect(plan.steps).toMatchObject([{ action: "there", from: "report.md" }]);
  });

  it("gives nothing through links, odd names and broken files, and says of each why", async () => {
    put("outside.md", SKILL);
    symlinkSync(join(dir, "outside.md"), join(dir, "nb/skills/linked.md"));
    symlinkSync(join(dir, "outside.md"), join(dir, "nb/skills/forms/references/link.md"));
    symlinkSync(join(dir, "outside.md"), join(dir, "nb/conversations/conv_linked01.jsonl"));
    put("nb/skills/broken.md", "no front matter");
    put("nb/skills/large.md", `---\nname: large\n---\n${"x".repeat(300_000)}`);
    put("nb/conversations/..jsonl", "{}");
    put("nb/conversations/Other.jsonl", "{}");
    put("nb/conversations/conv_nojson.jsonl", "hello\n");
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(dir, "nb/conversations/conv_pipe0001.jsonl")]);
    const { plan } = await apply("nb");
    const skipped = plan.steps.filter(({ action, kind }) => action === "skip" && kind !== "setting");
    expect(skipped.map(({ from, notes }) => `${from}: ${notes[0]?.slice(0, 30)}`)).toEqual([
      "broken.md: it does not begin with front m",
      "forms: references/link.md is a link o",
      "large.md: it has more than 262144 bytes;",
      "linked.md: it is a link or no plain file;",
      "Other: its name is no id of a convers",
      "conv_linked01: it is a link or no plain file",
      "conv_nojson: its first line is no JSON obje",
      "conv_pipe0001: it is a link or no plain file",
    ]);
    expect(readdirSync(workFile("workspaces/ws_default/conversations"))).toEqual(["conv_abcdef123456.jsonl"]);
  });

  it("writes nothing to a configuration that somebody changed since the plan", async () => {
    put("work/bailiwick.json", "{}");
    const { plan, place } = await planOf("nb");
    put("work/bailiwick.json", '{"identity":"mine"}');
    await expect(applyImport(plan, place)).rejects.toMatchObject({ kind: "stale_surface" });
    expect(config()).toEqual({ identity: "mine" });
  });

  it("writes nothing that a host could not start with", async () => {
    put("nb/nimblebrain.json", { maxIterations: 400 });
    put("work/bailiwick.json", "{}");
    await expect(apply("nb")).rejects.toMatchObject({ message: expect.stringContaining("/maxIterations") as unknown });
    expect(config()).toEqual({});
  });
});

describe("what cannot be imported is refused with the next step", () => {
  it.each<[what: string, path: string, make: () => void]>([
    ["nothing at", "missing", () => {}],
    ["neither nimblebrain.json nor", "empty", () => mkdirSync(join(dir, "empty"))],
    ['no "mcpServers"', "x.json", () => put("x.json", { servers: [] })],
    ["not plain JSON", "x.json", () => put("x.json", '{"mcpServers": {} // mine\n}')],
    ["one JSON object", "x.json", () => put("x.json", "[]")],
    ["levels deep", "x.json", () => put("x.json", `{"mcpServers":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)],
    ["33554432 are read", "x.json", () => put("x.json", " ".repeat(33_554_433))],
    ["not UTF-8", "x.json", () => writeFileSync(join(dir, "x.json"), Buffer.from([0x7b, 0xff]))],
    ["neither a file nor", "pipe", () => execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(dir, "pipe")])],
    [
      "more than 500 servers",
      "x.json",
      () => put("x.json", { mcpServers: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [n, {}])) }),
    ],
  ])("%s", async (what, path, make) => {
    make();
    await expect(planOf(path)).rejects.toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining(what) as unknown,
    });
  });

  it("and so is a workspace that there is not", async () => {
    await expect(placeNow("ws_nowhere")).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("the files of MCP clients", () => {
  it.each([
    ["Claude Desktop", "claude_desktop_config.json", { mcpServers: { a: { command: "srv" } } }],
    ["Claude Code", ".claude.json", { numStartups: 3, mcpServers: { a: { type: "stdio", command: "srv" } } }],
    ["Cursor", ".cursor/mcp.json", { mcpServers: { a: { command: "srv" } } }],
    ["VS Code", ".vscode/mcp.json", { inputs: [], servers: { a: { type: "stdio", command: "srv" } } }],
    ["settings of VS Code", "settings.json", { mcp: { servers: { a: { command: "srv" } } } }],
  ])("of %s are understood", async (_, path, value) => {
    put(path, value);
    await apply(path);
    expect(config().bundles).toEqual([{ path: workFile("workspaces/ws_default/imported/a"), serverName: "a" }]);
  });

  it("for one project are about its folder, and those in the file of Claude Code are told", async () => {
    put("p/.cursor/mcp.json", { mcpServers: { a: { command: "node", args: ["./s.js"] } } });
    expect((await planOf("p/.cursor/mcp.json")).plan.manifests[0]?.text).toContain(join(dir, "p/s.js"));
    put(".claude.json", { mcpServers: {}, projects: { "/p": { mcpServers: { x: {} } }, "/q": {} } });
    const source = await readImportSource(join(dir, ".claude.json"), await placeNow());
    expect(source.notes).toEqual([expect.stringContaining("Servers of 1 single projects")]);
  });
});
