/** A path that cannot be used, at every door of a whole host: the same kind, in the door's own shape, and no folder of the host in it. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../transport/client-for-tests.ts";
import { openEvidence } from "./open-evidence.ts";
import { startRooted, type RootedHost } from "./roots-place-for-tests.ts";

interface Case {
  readonly kind: string;
  readonly path: string;
  readonly root?: string;
}

const CASES: readonly Case[] = [
  { kind: "path_outside_roots", path: "../x" },
  { kind: "path_outside_roots", path: "/etc/passwd" },
  { kind: "path_outside_roots", path: "workspace://link/passwd", root: "hero" },
  { kind: "invalid_path", path: "workspace://a%2Fb" },
  { kind: "invalid_path", path: "" },
  { kind: "invalid_path", path: `workspace://${"a".repeat(5_000)}` },
  { kind: "unknown_root", path: "workspace://@nobody/a", root: "nobody" },
  { kind: "unsupported_scheme", path: "http://x.test/a" },
];

const start = async (roots?: object): Promise<RootedHost> => {
  const rooted = await startRooted(roots === undefined ? {} : { roots });
  symlinkSync("/etc", join(rooted.place.hero, "link"));
  return rooted;
};

describe("a path that cannot be used", () => {
  it("is the same refusal at every door, with the path as given, a next step and no folder of the host", async () => {
    const { doors, place } = await start();
    for (const { kind, path } of CASES) {
      for (const { name, call } of doors) {
        const said = await call("ops__open", { path });
        expect([name, path, said.refused]).toEqual([name, path, kind]);
        expect(said.next).toMatch(/workspace:\/\//);
        expect(said.text).not.toContain(place.dir);
        expect(said.text.length).toBeLessThan(20_000);
      }
    }
    expect(place.lines()).toEqual([]);
    const refused = place.events().filter(({ event_type }) => event_type === "execution_denied");
    expect(refused).toHaveLength(CASES.length * doors.length);
    expect(JSON.stringify(refused)).not.toContain(place.hero);
  });

  it.each(CASES)("has the shape of each door: $kind", async ({ kind, path, root }) => {
    const { host } = await start();
    const about = { kind, path: path.slice(0, 4_096), ...(root === undefined ? {} : { root }) };
    const call = { name: "ops__open", arguments: { path } };
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    const { error } = (await session.call("tools/call", call)).json;
    expect(error).toMatchObject({
      code: -32602,
      data: { ...about, stage: 7, retryable: false, remedy: error.data.next },
    });
    const rest = await host.rest("POST", "/v1/tools/call", call);
    expect(rest).toMatchObject({
      status: 422,
      json: { error: kind, remedy: error.data.next, data: { ...about, retryable: false } },
    });
    const invoked = await host.rest("POST", "/chp/invoke", { capability_id: "ops__open", payload: { path } });
    const { outcome, denial } = invoked.json;
    expect([outcome, denial]).toMatchObject([
      "denied",
      { code: "input_schema_validation_failed", retryable: false, details: { ...about, next: error.data.next } },
    ]);
    const resolved = await host.rest("POST", "/v1/roots/resolve", { path });
    expect(resolved).toMatchObject({ status: 422, json: { error: kind } });
  });

  it("says in the words of the contract that there is no root, also to who asks just for the path", async () => {
    const { host } = await start({ list: [] });
    const message = 'no workspace roots advertised by client; cannot resolve "workspace://a/b"';
    const call = { name: "ops__open", arguments: { path: "workspace://a/b" } };
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    const about = { kind: "no_workspace_roots", path: "workspace://a/b", retryable: false };
    expect((await session.call("tools/call", call)).json.error).toMatchObject({ code: -32602, message, data: about });
    const refusal = { status: 422, json: { error: about.kind, message } };
    expect(await host.rest("POST", "/v1/tools/call", call)).toMatchObject(refusal);
    expect(await host.rest("POST", "/v1/roots/resolve", { path: "workspace://a/b" })).toMatchObject(refusal);
  });

  it("is shown by explain, and nothing is sent", async () => {
    const { host, place } = await start();
    const order = { name: "ops__open", arguments: { path: "workspace://../x" } };
    const { json } = await host.rest("POST", "/v1/tools/explain", order);
    expect(json).toMatchObject({ verdict: "refuse", decided_by: { stage: 7, rule: "workspace_paths" } });
    expect(JSON.stringify(json)).toContain("workspace://folder/name");
    expect(JSON.stringify(json)).not.toContain(place.dir);
    expect(place.lines()).toEqual([]);
  });
});

it("evidence has the arguments as they were given, and nowhere the paths that were sent", async () => {
  const rooted = await startRooted({ settings: { evidence: { retainPayloads: ["ops__*"] } } });
  const { host, place } = rooted;
  const given = { path: "workspace://a%20b", note: "n" };
  expect((await host.rest("POST", "/v1/tools/call", { name: "ops__open", arguments: given })).status).toBe(200);
  expect(place.lines()[0]).toContain(join(place.hero, "a b"));
  const evidence = openEvidence(place.workDir);
  onTestFinished(() => evidence.close());
  const kept = [...Array(evidence.last()).keys()].flatMap((at) => evidence.retained(at + 1) ?? []);
  expect(kept.some((text) => text.includes("workspace://a%20b"))).toBe(true);
  expect(JSON.stringify(place.events())).not.toContain(place.hero);
});
