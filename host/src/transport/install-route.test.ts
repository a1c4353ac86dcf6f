import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { openStream } from "./stream-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

const AGENT = "agent-key";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  const other = door.principals.get(OTHER)!;
  door.principals.set(AGENT, { ...other, id: "agent:ops", kind: "agent", permissions: ["bundles:manage"] });
});
beforeEach(() => {
  door.asked.length = 0;
});
afterAll(() => door.listener.close());

const install = (body: object, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { path: "/v1/apps/install", headers: { ...JSON_HEADERS, ...headers }, body });

const STREAM = { accept: "text/event-stream" };
const typesIn = ({ text }: Said): string[] => [...text.matchAll(/^event: (.+)$/gm)].map(([, type]) => type ?? "");

describe("an install", () => {
  it("answers 201 with the bundle, and hands the entry on as it came", async () => {
    const said = await install({ path: "/x", serverName: "p", env: { A: "${env:B}" } });
    expect(said).toMatchObject({ status: 201, json: { name: "p", status: "running" } });
    expect(door.asked).toEqual([
      `install {"path":"/x","serverName":"p","env":{"A":"\${env:B}"}} in ${WORKSPACE} by person:owner`,
    ]);
  });

  it.each([
    [{}, "none"],
    [{ name: "a", url: "https://x" }, "name, url"],
    [{ name: 1 }, '"name"'],
    [{ path: "" }, '"path"'],
    [{ serverName: "x" }, "none"],
  ])("of %j is a bad request that says why", async (body, found) => {
    for (const headers of [{}, STREAM]) {
      const said = await install(body, headers);
      expect(said).toMatchObject({ status: 400, json: { error: "bad_request" } });
      expect(said.json.message).toContain(found);
    }
    expect(door.asked).toEqual([]);
  });

  it.each([
    ["taken", 409, "already_installed"],
    ["refused", 422, "install_refused"],
    ["bug", 500, "internal"],
  ])("of %s is a %i %s", async (name, status, error) => {
    const said = await install({ name });
    expect(said).toMatchObject({ status, json: { error } });
    expect(said.text).not.toContain("secret");
  });

  it("is a person's own doing, wherever the bundle comes from", async () => {
    const headers = { authorization: `Bearer ${AGENT}` };
    for (const body of [{ path: "/x" }, { url: "https://x.example/mcp", serverName: "x" }, { name: "x" }]) {
      expect(await install(body, headers)).toMatchObject({ status: 403, json: { error: "escalation_required" } });
    }
    expect(door.asked).toEqual(Array(3).fill("no install: escalation_required by agent:ops"));
  });
});

describe("an install that is followed", () => {
  it("tells of its progress and ends with done", async () => {
    const said = await install({ name: "x" }, STREAM);
    expect(said.headers["content-type"]).toBe("text/event-stream");
    expect(typesIn(said)).toEqual(["progress", "progress", "done"]);
    expect(said.json).toMatchObject([
      { message: "Downloading", bytes: 0, total: 2 },
      { message: "Starting" },
      { name: "p", status: "running" },
    ]);
  });

  it("ends with error, and exactly once", async () => {
    const said = await install({ name: "refused" }, STREAM);
    expect(said.status).toBe(200);
    expect(typesIn(said)).toEqual(["progress", "progress", "error"]);
    expect(said.json.at(-1)).toMatchObject({ error: "install_refused", remedy: "Do otherwise." });
    const bug = await install({ name: "bug" }, STREAM);
    expect(typesIn(bug).at(-1)).toBe("error");
    expect(bug.text).not.toContain("secret");
  });

  it("is answered with its status when it is refused before anything was done", async () => {
    expect(await install({ name: "taken" }, STREAM)).toMatchObject({
      status: 409,
      json: { error: "already_installed" },
    });
    const headers = { ...STREAM, authorization: `Bearer ${OTHER}` };
    expect((await install({ name: "x" }, headers)).status).toBe(403);
  });

  it("goes on when its caller leaves", async () => {
    const headers = { ...JSON_HEADERS, ...STREAM, authorization: `Bearer ${OWNER}` };
    const stream = openStream(door.origin, { path: "/v1/apps/install", headers, body: { name: "x" } });
    await stream.until(({ message }) => message === "Downloading");
    stream.drop();
    await stream.ended;
    expect((await install({ name: "y" })).status).toBe(201);
    expect(door.bugs).toHaveLength(2);
  });
});
