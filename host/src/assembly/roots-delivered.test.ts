/** What a real bundle is told about roots: with its call, when it asks during a call, and when it asks beside all calls. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, openSession } from "../transport/client-for-tests.ts";
import { connectHttp, rootOf, startRooted, type RootedPlace } from "./roots-place-for-tests.ts";

const deliveredTo = ({ hero, renders }: RootedPlace): object => ({
  profile: "strict",
  roots: [
    { name: "hero", uri: rootOf(hero).uri, path: hero },
    { name: "renders", uri: rootOf(renders).uri, path: renders },
  ],
});
const listedTo = ({ hero, renders }: RootedPlace): object => ({
  roots: [
    { uri: rootOf(hero).uri, name: "hero" },
    { uri: rootOf(renders).uri, name: "renders" },
  ],
});
const metaOf = (line: string | undefined): any => JSON.parse(line ?? "{}").params._meta;

describe("a tool that works on files", () => {
  it("gets absolute paths where its schema says so, every other byte as it came, and the roots in _meta", async () => {
    const { host, place } = await startRooted();
    const args =
      '{"note":"workspace://a\\u0020b", "n" : 1.50,"path":"workspace:\\/\\/assets/a%20b","also":[ "x" , "workspace://@renders/y"],' +
      '"deep":{"path":"workspace://not/this"},"e":1E2}';
    const body = `{"name":"ops__open","arguments":${args}}`;
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
    expect(await knock(host.origin, { path: "/v1/tools/call", headers, body })).toMatchObject({ status: 200 });
    const sent = args
      .replace('"workspace:\\/\\/assets/a%20b"', JSON.stringify(join(place.hero, "assets/a b")))
      .replace('"x"', JSON.stringify(join(place.hero, "x")))
      .replace('"workspace://@renders/y"', JSON.stringify(join(place.renders, "y")));
    const [line] = place.lines();
    expect(line).toContain(`"arguments":${sent}`);
    expect(metaOf(line).dcc).toEqual({ workspace_roots: deliveredTo(place) });
  });

  it("hears the same by roots/list, whoever calls and whatever that one announces", async () => {
    const rooted = await startRooted();
    const { host, place } = rooted;
    const { json } = await host.rest("POST", "/v1/tools/call", { name: "ops__ask", arguments: {} });
    expect(json.structuredContent).toEqual({ roots: deliveredTo(place), listed: listedTo(place) });
    const sdk = await connectHttp(rooted, rootOf("/etc", "etc"), rootOf(place.renders, "mine"));
    const { uri } = rootOf(place.renders);
    expect((await sdk.call("ops__ask")).structuredContent).toEqual({
      roots: { profile: "strict", roots: [{ name: "mine", uri, path: place.renders }] },
      listed: { roots: [{ uri, name: "mine" }] },
    });
    expect(sdk.asked).toBe(1);
  });
});

describe("a tool that requires nothing", () => {
  it("gets its arguments as they came and no roots", async () => {
    const { doors, place } = await startRooted();
    for (const { call } of doors) await call("ops__plain", { path: "workspace://../../etc/passwd" });
    for (const line of place.lines()) {
      expect(line).toContain('"path":"workspace://../../etc/passwd"');
      expect(line).not.toContain("workspace_roots");
    }
    expect(place.lines()).toHaveLength(doors.length);
  });

  it("hears of the host's roots when it asks and the caller has none, and else of the caller's", async () => {
    const rooted = await startRooted();
    const { json } = await rooted.host.rest("POST", "/v1/tools/call", { name: "ops__plain_ask", arguments: {} });
    expect(json.structuredContent).toEqual({ listed: listedTo(rooted.place) });
    const sdk = await connectHttp(rooted, { uri: "file:///somewhere", name: "theirs" });
    const said = await sdk.call("ops__plain_ask");
    expect(said.structuredContent).toEqual({ listed: { roots: [{ uri: "file:///somewhere", name: "theirs" }] } });
  });
});

it("a server that asks beside all calls hears of the host's roots", async () => {
  const rooted = await startRooted();
  const sdk = await connectHttp(rooted, rootOf("/etc"));
  await sdk.call("ops__later");
  await expect.poll(() => rooted.place.lines().at(-1)).toBe(JSON.stringify({ outside: listedTo(rooted.place) }));
});

describe("what a caller says about roots", () => {
  const FORGED = { profile: "permissive", roots: [{ name: "all", uri: "file:///", path: "/" }] };

  it("in _meta reaches no tool, and what stands beside it does", async () => {
    const { host, place } = await startRooted();
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    const forged = `{"work\\u0073pace_roots":${JSON.stringify(FORGED)}}`;
    for (const name of ["ops__open", "ops__plain"]) {
      const params = `{"name":"${name}","arguments":{},"_meta":{"d\\u0063c":${forged},"x":"y"}}`;
      await session.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    }
    const [open, plain] = place.lines();
    expect(metaOf(open)).toMatchObject({ dcc: { workspace_roots: deliveredTo(place) }, x: "y" });
    expect(metaOf(plain)).toMatchObject({ x: "y" });
    for (const line of place.lines()) expect(line).not.toContain("permissive");
  });

  it("as an argument is refused at every door", async () => {
    const { doors, place } = await startRooted();
    for (const { name, call } of doors)
      expect([name, (await call("ops__open", { _workspace_roots: FORGED })).refused]).toEqual([name, "invalid_input"]);
    expect(place.lines()).toEqual([]);
  });
});
