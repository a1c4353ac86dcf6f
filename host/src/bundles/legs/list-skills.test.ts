import { afterEach, describe, expect, it } from "vitest";
import type { ProviderMethod } from "../../kernel/provider.ts";
import { NOBODY } from "../../kernel/ask.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { skillFileDefect } from "../../kernel/skill-rules.ts";
import type { Connection } from "../connection.ts";
import { connectStdio } from "./connect-stdio.ts";
import { fixture, LIMITS, NO_EVENTS, packageBin, startProcess, type TestProcess } from "./process-for-tests.ts";

const running: TestProcess[] = [];
const never = new AbortController().signal;
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

const connect = (args: readonly string[]): Promise<Connection> => {
  const server = startProcess(args);
  running.push(server);
  return connectStdio(server, { limits: LIMITS, events: NO_EVENTS, signal: never, hostVersion: "0.0.0" });
};

const ask = async (server: Connection, method: ProviderMethod, uri: string): Promise<Record<string, unknown>> => {
  const answer = await server.send({
    method,
    name: uri,
    params: rawMembers(`"uri":${JSON.stringify(uri)}`),
    meta: rawMembers(""),
    signal: never,
    listener: { progress: () => {}, log: () => {}, level: () => null },
    asker: NOBODY,
    owner: "somebody",
    input: null,
    late: () => () => {},
  });
  return JSON.parse(answer.json) as Record<string, unknown>;
};

describe.each(["legacy", "modern"] as const)("a %s server with skills", (era) => {
  it("has them listed, and each file is what its entry says", async () => {
    const server = await connect([fixture("conformance/server.mjs"), "--era", era, "--transport", "stdio"]);
    expect(server.era).toBe(era);
    const { skills, directories, defects } = await server.list(never);
    expect(defects).toEqual([]);
    expect(skills?.length).toBeGreaterThan(0);
    const [skill] = skills ?? [];
    expect((await ask(server, "skills/get", skill!.uri))["skill"]).toMatchObject({ uri: skill!.uri });
    for (const { uri } of skill!.value["resources"] as { uri: string }[]) {
      const result = await ask(server, "resources/read", uri);
      expect(await skillFileDefect({ skill: skill!.value, uri, result })).toBeNull();
    }
    const folder = skill!.uri.slice(0, -"/SKILL.md".length);
    expect(directories).toBe(true);
    expect(JSON.stringify(await ask(server, "resources/directory/read", folder))).toContain("SKILL.md");
  });
});

it("a server that says nothing of skills is not asked for them", async () => {
  const server = await connect([packageBin("mcp-server-memory")]);
  expect(await server.list(never)).toMatchObject({ skills: null, directories: false, defects: [] });
});
