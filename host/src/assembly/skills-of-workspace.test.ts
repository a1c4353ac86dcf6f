/** Every kind of skill in one workspace, at the doors: listed, read by the tool, followed, and what was skipped named. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { write } from "../skills/skills-for-tests.ts";
import { makePackagesPlace, type Json } from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/conformance/server.mjs", import.meta.url));
const flat = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\n${more}---\nDo ${name}.\n`;

const start = async () => {
  const place = makePackagesPlace();
  const bundle = place.bundle("tides", {
    server: { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [SERVER] } },
  });
  place.configure({ bundles: [{ path: bundle }] });
  const skills = join(place.workDir, "workspaces/ws_default/skills");
  write(skills, {
    "soul.md": flat("soul", "type: context\npriority: 5\n"),
    "deals.md": flat("deals", "requires-bundles: [crm]\nallowed-tools: [tides__*]\n"),
    "broken.md": "---\nname: [\n---\n",
    "guide/SKILL.md": flat("guide"),
    "guide/references/more.md": "More of it.",
  });
  place.put("maya", { "tools.yaml": "tools: [run]\n", "scripts/run.sh": "echo 1" });
  const host = await place.start();
  await until(() => host.stateOf("maya") === "running" && host.stateOf("tides") === "running");
  return { place, host, skills };
};

const read = async (host: WholeHost, args: object): Promise<Json> =>
  (await host.rest("POST", "/v1/tools/call", { name: "skills__read", arguments: args })).json as Json;

it("all of them are listed with what they are and whether they can be used, and what was skipped is named", async () => {
  const { host, skills } = await start();
  const { json } = await host.rest("GET", "/v1/skills");
  const rows = (json.skills as Json[]).map(({ name, kind, type, priority, source, available }) =>
    [name, kind, type, priority, source, available].join(" "),
  );
  expect(rows).toEqual([
    "maya package skill 50 workspace true",
    "bailiwick skill skill 50 built-in true",
    "deals skill skill 50 workspace false",
    "soul skill context 5 workspace true",
    "guide skill skill 50 workspace true",
    "tide-tables skill skill 50 bundle:tides true",
  ]);
  expect((json.skills as Json[])[2]).toMatchObject({ reason: expect.stringContaining("bailiwick bundle start crm") });
  expect(json.warnings).toEqual([expect.stringContaining(`${join(skills, "broken.md")} is skipped`)]);
  expect(await host.skills.warnings()).toEqual(json.warnings);
  const { secret } = await host.keys.create({ name: "reader" });
  const other = await host.rest("GET", "/v1/skills", undefined, { authorization: `Bearer ${secret}` });
  expect([other.json.skills.length, other.json.warnings]).toEqual([6, []]);
});

it("each is read by skills__read, those of servers through the call path, and nothing outside of them", async () => {
  const { host, place } = await start();
  expect(await read(host, { name: "deals" })).toMatchObject({ content: [{ text: "Do deals." }] });
  expect(await read(host, { name: "guide", file: "references/more.md" })).toMatchObject({
    content: [{ text: "More of it." }],
  });
  expect(await read(host, { name: "guide", file: "../soul.md" })).toMatchObject({ error: "not_found" });
  expect(await read(host, { name: "tide-table" })).toMatchObject({
    error: "not_found",
    message: expect.stringContaining('Did you mean "tide-tables"?'),
  });
  const before = place.events().length;
  expect(await read(host, { name: "tide-tables" })).toMatchObject({
    content: [{ text: expect.stringContaining("Look up the harbour") }],
  });
  expect(await read(host, { name: "tide-tables", file: "references/GUIDE.md" })).toMatchObject({
    content: [{ text: "Harbours are listed by their nearest town.\n" }],
  });
  const asked = place
    .events()
    .slice(before)
    .map((event) => JSON.stringify(event));
  expect(asked.filter((event) => event.includes("tides")).length).toBeGreaterThan(1);
  await host.bundles.stop("tides");
  expect(await read(host, { name: "tide-tables" })).toMatchObject({ error: "unavailable" });
  expect(await host.skills.get("tide-tables")).toMatchObject({
    state: "unavailable",
    reason: expect.stringContaining("bailiwick bundle start tides"),
  });
});

it("a package that was changed is no skill until somebody accepts it", async () => {
  const { host, place } = await start();
  place.put("maya", { "SKILL.md": flat("maya", "metadata: {dcc-mcp: {tools: tools.yaml}}\n") });
  expect(await read(host, { name: "maya" })).toMatchObject({ error: "not_ready" });
  await expect.poll(async () => (await host.skills.get("maya")).state, { timeout: 30_000 }).toBe("held");
  expect(await read(host, { name: "maya" })).toMatchObject({
    error: "not_ready",
    remedy: expect.stringContaining("bailiwick skill info maya"),
  });
  const { digest } = (await host.rest("GET", "/v1/skills/maya")).json as { digest: string };
  await host.skills.accept("maya", digest);
  expect(await read(host, { name: "maya" })).toMatchObject({ content: [{ text: "Do maya." }] });
});

it("who follows the workspace hears which skill is new, another or gone", async () => {
  const { host, skills } = await start();
  const heard = await host.follow();
  const told = () => heard.filter(({ type }) => type === "skill.changed").map(({ data }) => data["name"] as string);
  await host.skills.list();
  write(skills, { "soul.md": flat("soul", "type: context\n"), "fresh.md": flat("fresh") });
  rmSync(join(skills, "deals.md"));
  const { skills: rows } = (await host.rest("GET", "/v1/skills")).json as { skills: Json[] };
  expect(rows.map(({ name }) => name as string)).toContain("fresh");
  await until(() => told().length >= 3);
  expect(told().toSorted()).toEqual(["deals", "fresh", "soul"]);
});
