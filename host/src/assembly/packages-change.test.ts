/** What changes about a package while the host runs: its files, its groups, the variables that it is granted. */
import { appendFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import {
  atEach,
  makePackagesPlace,
  openPackagesDoors,
  SKILL_MD,
  stateOf,
  type Json,
} from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TOOLS = `tools:
  - name: say
    description: Says it.
    source_file: scripts/say.sh
    read_only: true
`;
const SCRIPT = `echo "$(cat >/dev/null; echo ran >> runs)\\"one\\""`;

const openSay = async (settings: object = {}) => {
  const place = makePackagesPlace(settings);
  place.put("talker", { "tools.yaml": TOOLS, "scripts/say.sh": SCRIPT });
  const host = await place.start();
  return { place, host, doors: await openPackagesDoors(host) };
};

const call = async (host: WholeHost, name: string): Promise<Json> =>
  (await host.rest("POST", "/v1/tools/call", { name, arguments: {} })).json as Json;

/** The call that was refused has the host look at the package again. */
const untilHeld = (host: WholeHost): Promise<void> =>
  until(() => host.tools().some(({ name, reason }) => name === "talker__say" && reason === "definition_changed"));

/** A key of an agent, without and with the right to manage what is installed. */
const agentKeys = async (host: WholeHost): Promise<readonly string[]> => {
  const keys: string[] = [];
  for (const permissions of [[], ["bundles:manage", "host:admin", "approvals:decide"]]) {
    keys.push((await host.keys.create({ name: `agent-${permissions.length}`, permissions })).secret);
  }
  return keys;
};

describe("a script that is changed", () => {
  it("holds the tools of its package at every door, is told with what to do, and never ran", async () => {
    const { place, host, doors } = await openSay();
    await atEach(doors, async (door) => expect((await door.call("talker__say")).kind).toBeNull());
    const runs = place.left("talker", "runs").length;
    appendFileSync(place.at("talker", "scripts/say.sh"), "\necho evil >> evil");
    expect((await doors[0]!.call("talker__say")).kind).toBe("definition_changed");
    await untilHeld(host);
    await atEach(doors, async (door) => {
      const no = await door.call("talker__say");
      expect(no.kind).toBe("definition_changed");
      expect(JSON.stringify(no.data)).toContain("bailiwick skill accept talker");
      const listed = (await door.list()).filter((each) => JSON.stringify(each).includes("talker__say"));
      expect(JSON.stringify(listed)).toContain("definition_changed");
    });
    expect(place.left("talker", "runs")).toHaveLength(runs);
    expect(place.left("talker", "evil")).toEqual([]);
    expect(await stateOf(host, "talker")).toMatchObject({
      state: "held",
      available: false,
      reason: expect.stringContaining("bailiwick skill accept talker"),
    });
    await until(() => place.evidence("package_held").length === 1);
  });

  it("is accepted by a person who saw it, and by no agent whatever its key may; then it runs at every door", async () => {
    const { place, host, doors } = await openSay();
    writeFileSync(place.at("talker", "scripts/say.sh"), "echo '\"two\"'");
    expect(await call(host, "talker__say")).toMatchObject({ error: "definition_changed" });
    await untilHeld(host);
    const { digest, accepted } = await stateOf(host, "talker");
    expect(digest).not.toBe(accepted);
    const path = "/v1/skills/talker/accept";
    for (const key of await agentKeys(host)) {
      const no = await host.rest("POST", path, { digest }, { authorization: `Bearer ${key}` });
      expect([no.status, no.json.message, no.json.remedy]).toEqual([403, expect.any(String), expect.any(String)]);
    }
    expect((await host.rest("POST", path, { digest: accepted })).status).toBe(409);
    expect(await call(host, "talker__say")).toMatchObject({ error: "definition_changed" });
    const taken = await host.rest("POST", path, { digest });
    expect(taken).toMatchObject({ status: 200, json: { state: "ready", accepted: digest } });
    await atEach(doors, async (door) => {
      expect(JSON.stringify((await door.call("talker__say")).result)).toContain("two");
    });
    expect(place.evidence("package_accepted").map(({ payload }) => payload)).toMatchObject([
      { package: "talker", because: "first_seen" },
      { package: "talker", because: "person", by: "person:owner", before: accepted, digest },
    ]);
  });

  it("that is put back as it was runs again without anybody's yes", async () => {
    const { place, host } = await openSay();
    writeFileSync(place.at("talker", "scripts/say.sh"), "echo 2");
    expect(await call(host, "talker__say")).toMatchObject({ error: "definition_changed" });
    await untilHeld(host);
    writeFileSync(place.at("talker", "scripts/say.sh"), SCRIPT);
    await until(() => host.tools().some(({ name, state }) => name === "talker__say" && state === "invokable"));
    expect(await call(host, "talker__say")).toMatchObject({ structuredContent: { result: "one" } });
  });
});

describe("what the configuration says of a package", () => {
  it("switches a group on and off while the host runs, at every door", async () => {
    const place = makePackagesPlace();
    place.put("talker", {
      "tools.yaml": `${TOOLS}    group: loud\ngroups: [{name: loud, description: Loud., tools: [say]}]\n`,
      "scripts/say.sh": SCRIPT,
    });
    const host = await place.start();
    const doors = await openPackagesDoors(host);
    const stand = async (): Promise<unknown[]> =>
      Promise.all(doors.map(async (door) => (await door.call("talker__say")).kind));
    expect(await stand()).toEqual(doors.map(() => "disabled"));
    place.configure({ capabilities: { groups: { talker: ["loud"] } } });
    await host.rest("POST", "/v1/reload", {});
    await until(() => host.tools().some(({ name, state }) => name === "talker__say" && state === "invokable"));
    expect(await stand()).toEqual(doors.map(() => null));
    place.configure({});
    await host.rest("POST", "/v1/reload", {});
    await until(() => host.tools().some(({ name, reason }) => name === "talker__say" && reason === "group_inactive"));
    expect(await stand()).toEqual(doors.map(() => "disabled"));
    expect(place.left("talker", "runs")).toHaveLength(doors.length);
  });

  it("grants it variables by name, from the next call on; it sees no other of the host's", async () => {
    vi.stubEnv("TALKER_TOKEN", "granted-value-1");
    vi.stubEnv("TALKER_OTHER", "never-granted");
    onTestFinished(() => void vi.unstubAllEnvs());
    const place = makePackagesPlace();
    const skill = SKILL_MD("talker", "    env: [TALKER_TOKEN, TALKER_OTHER]\n");
    const script = `printf '{"token":"%s","other":"%s"}' "$(printf %s "$TALKER_TOKEN" | wc -c)" "$TALKER_OTHER"; env >&2`;
    place.put("talker", { "SKILL.md": skill, "tools.yaml": TOOLS, "scripts/say.sh": script });
    const host = await place.start();
    expect(await call(host, "talker__say")).toMatchObject({ structuredContent: { token: "0", other: "" } });
    place.configure({ capabilities: { env: { talker: ["TALKER_TOKEN"] } } });
    await host.rest("POST", "/v1/reload", {});
    expect(await call(host, "talker__say")).toMatchObject({ structuredContent: { token: "15", other: "" } });
    const { env, logs } = await stateOf(host, "talker");
    expect(env).toEqual([
      { name: "TALKER_TOKEN", granted: true },
      { name: "TALKER_OTHER", granted: false },
    ]);
    expect(logs.join("\n")).toContain("TALKER_TOKEN=");
    expect(logs.join("\n")).not.toMatch(/granted-value-1|never-granted/);
  });
});
