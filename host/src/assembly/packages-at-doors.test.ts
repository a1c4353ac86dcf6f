/** The example packages in a workspace's skill directory, at every door of a whole host: listed, described, called, recorded. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { knock, modern, openSession } from "../transport/client-for-tests.ts";
import {
  atEach,
  makePackagesPlace,
  openPackagesDoors,
  type Json,
  type PackagesPlace,
} from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TOOLS = ["count_words", "outline_markdown", "sort_lines"].map((name) => `text-tools__${name}`);
const FACTS = ["busiest", "free_space", "memory"].map((name) => `machine-facts__${name}`);
const DOORS = ["MCP legacy", "MCP modern", "a pipe", "REST", "CHP"];

const open = async (): Promise<{ readonly place: PackagesPlace; readonly host: WholeHost }> => {
  const place = makePackagesPlace({ capabilities: { declared: ["filesystem.read"] } });
  for (const name of ["text-tools", "machine-facts"]) place.putExample(name);
  const project = join(place.workDir, "workspaces/ws_default/project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "a.md"), "# One\n\ntwo three\n");
  return { place, host: await place.start() };
};

const nameOf = ({ name, id }: Json): string => String(id ?? name);

it("are listed at every door from the moment the host has started, each tool with what it needs and what keeps it back", async () => {
  const { host } = await open();
  const doors = await openPackagesDoors(host);
  expect(doors.map(({ name }) => name)).toEqual(DOORS);
  await atEach(doors, async (door) => {
    const entries = new Map((await door.list()).map((entry) => [nameOf(entry), entry]));
    const own = [...entries.keys()].filter((name) => /^(text-tools|machine-facts)__/.test(name));
    expect(own.toSorted()).toEqual([...FACTS, ...TOOLS].toSorted());
    const sort = JSON.stringify(entries.get("text-tools__sort_lines"));
    expect(sort).toContain('"missing_capabilities":["filesystem.write"]');
    expect(sort).toContain("disabled");
    const count = JSON.stringify(entries.get("text-tools__count_words"));
    expect(count).toContain('"required_capabilities":["filesystem.read"]');
    expect(count).not.toContain("missing_capabilities");
  });
});

it("are called at every door, with paths of the workspace, and each call is recorded with its outcome", async () => {
  const { place, host } = await open();
  await atEach(await openPackagesDoors(host), async (door) => {
    const since = place.events().length;
    const { result } = await door.call("text-tools__count_words", { path: "workspace://a.md" });
    expect(result?.["structuredContent"] ?? result?.["data"]).toEqual({
      lines: 3,
      words: 4,
      characters: 17,
    });
    expect(await door.call("text-tools__sort_lines", { path: "workspace://a.md" })).toMatchObject({
      kind: "disabled",
      message: expect.stringContaining("group_inactive"),
    });
    expect(await door.call("text-tools__count_words", { path: "workspace://../a.md" })).toMatchObject({
      kind: "path_outside_roots",
    });
    const facts = await door.call("machine-facts__memory");
    expect(JSON.stringify(facts.result)).toContain("available_kib");
    // What the host says of itself comes when it comes.
    const added = place
      .events()
      .slice(since)
      .filter(({ capability_id }) => capability_id !== "dev.bailiwick.host");
    expect(added.map(({ event_type, capability_id }) => `${event_type} ${capability_id}`)).toEqual([
      "execution_started text-tools__count_words",
      "execution_completed text-tools__count_words",
      "execution_skipped text-tools__sort_lines",
      "execution_denied text-tools__count_words",
      "execution_started machine-facts__memory",
      "execution_completed machine-facts__memory",
    ]);
  });
  expect(place.evidence("package_accepted").map(({ payload }) => [payload["package"], payload["because"]])).toEqual([
    ["machine-facts", "first_seen"],
    ["text-tools", "first_seen"],
  ]);
});

it("stand in capabilities://skills in both eras as GET /v1/skills has them, with the union over their tools", async () => {
  const { host } = await open();
  const { origin, key } = host;
  const params = { uri: "capabilities://skills" };
  const legacy = await (await openSession(origin, "2025-11-25", "/mcp", key)).call("resources/read", params);
  const auth = { authorization: `Bearer ${key}` };
  const said = [legacy, await knock(origin, modern("resources/read", params, auth))];
  const { skills: rows } = (await host.rest("GET", "/v1/skills")).json as { skills: Json[] };
  for (const { json } of said) {
    const { skills, metadata } = JSON.parse(json.result.contents[0].text) as Json;
    expect(metadata).toMatchObject({ total_count: 3 });
    expect(skills).toMatchObject([
      { name: "machine-facts", kind: "package", state: "ready", required_capabilities: [], diagnostics: [] },
      {
        name: "text-tools",
        source: "workspace",
        tools: TOOLS,
        required_capabilities: ["filesystem.read", "filesystem.write"],
        missing_capabilities: ["filesystem.write"],
        diagnostics: [],
      },
      { name: "bailiwick", kind: "skill", type: "skill", source: "built-in", available: true },
    ]);
    expect(rows).toMatchObject(skills);
  }
  const named = async (query: string): Promise<string[]> =>
    (await host.rest("GET", `/v1/skills?${query}`)).json.skills.map(({ name }: Json) => name as string);
  expect(await named("satisfied=true")).toEqual(["machine-facts", "bailiwick"]);
  expect(await named("dcc=maya")).toEqual([]);
});

it("are there again at once after a restart, and nothing is accepted a second time", async () => {
  const { place, host } = await open();
  await host.stop();
  const again = await place.start();
  const { status, json } = await again.rest("POST", "/v1/tools/call", {
    name: "text-tools__count_words",
    arguments: { path: "workspace://a.md" },
  });
  expect([status, json.structuredContent]).toMatchObject([200, { words: 4 }]);
  expect(place.evidence("package_accepted")).toHaveLength(2);
});
