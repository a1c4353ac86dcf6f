/** Two workspaces on one call path: what is in the one is not there in the other. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import { openPath, result, type TestPath } from "./path-for-tests.ts";
import { begun, jsonOf, order, state, taskCaller } from "./tasks-for-tests.ts";

const KEYS = new Map(
  [
    { name: "ann", as: "agent:ann", workspace: "ws_default" },
    { name: "sales", as: "agent:sales", workspace: "ws_sales" },
  ].map((key) => [key.name, { ...key, for: null, scopes: null, permissions: [] }]),
);
const bearer = (token: string, workspace?: string) =>
  ({ kind: "bearer", token, ...(workspace !== undefined && { workspace }) }) as const;

let path: TestPath;
let members: string[];
beforeEach(() => {
  members = ["agent:ann", "agent:sales"];
  path = openPath(() => result('{"content":[]}'), {
    findKey: (secret) => KEYS.get(secret) ?? null,
    isMember: (workspace, { id }) => workspace === "ws_sales" && members.includes(id),
  });
  path.admitted = false;
  path.add("ws_sales", "crm");
});
afterEach(() => path.close());

const who = (token: string, workspace?: string): Principal => path.identify(bearer(token, workspace), "mcp")!;
const listed = (principal: Principal): string[] =>
  (path.surfaces.of(principal, null)?.rows() ?? []).map(({ name }) => name);
const refusalOf = ({ ending }: Answer) => {
  if (ending.kind !== "refusal") throw new Error(`was ${ending.kind}`);
  return ending.refusal;
};

describe("a tool of one workspace", () => {
  it("is listed and called there, by its own keys and by members, and evidence says where", async () => {
    for (const presented of [bearer("sales"), bearer("ann", "ws_sales")]) {
      path.events.splice(0);
      expect((await path.call({ name: "crm__t", presented })).ending.kind).toBe("result");
      expect(path.events.length).toBeGreaterThan(1);
      for (const { subject } of path.events) expect(JSON.parse(subject)).toMatchObject({ workspace: "ws_sales" });
    }
    expect(listed(who("ann", "ws_sales"))).toEqual(listed(who("sales")));
    expect(listed(who("sales"))).toContain("crm__t");
    expect(listed(who("sales"))).not.toContain("p__t");
    expect(path.surfaces.providers(who("sales")).map(({ name }) => name)).toEqual(["crm"]);
  });

  it("is unknown in the other, and named nowhere in what is said about that", async () => {
    expect(listed(who("ann"))).toContain("p__t");
    expect(listed(who("ann")).some((name) => name.startsWith("crm"))).toBe(false);
    expect(path.surfaces.of(who("ann"), "crm")).toBeNull();
    const wrong = await path.call({ name: "crm__t", presented: bearer("ann") });
    expect(refusalOf(wrong)).toMatchObject({ kind: "unknown_tool", details: { providers: ["p"] } });
    const astray = await path.call({ name: "nope__t", presented: bearer("sales") });
    expect(refusalOf(astray).details).toMatchObject({ providers: ["crm"] });
    const endpoint = await path.call({ name: "t", provider: "p", presented: bearer("sales") });
    expect(refusalOf(endpoint).details).toMatchObject({ providers: ["crm"] });
    expect(path.sent).toEqual([]);
  });

  it("may have the name of one elsewhere, and is the one that is called", async () => {
    path.add("ws_sales", "p");
    expect((await path.call({ name: "p__t", presented: bearer("sales") })).ending.kind).toBe("result");
    expect(JSON.parse(path.events.at(-1)!.subject)).toMatchObject({ workspace: "ws_sales" });
  });

  it("is refused to who is no member any more, as if there were no such workspace", async () => {
    members = [];
    const hidden = await path.call({ name: "crm__t", presented: bearer("ann", "ws_sales") });
    const unknown = await path.call({ name: "crm__t", presented: bearer("ann", "ws_none") });
    expect(refusalOf(hidden).kind).toBe("not_found");
    expect(refusalOf(hidden).message).toBe(refusalOf(unknown).message);
    expect(path.sent).toEqual([]);
  });
});

it("a change is told with its workspace, and only that", async () => {
  const heard: string[] = [];
  path.surfaces.onChange((workspace) => heard.push(workspace));
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(["ws_default", "ws_sales"]));
  heard.splice(0);
  path.add("ws_sales", "more");
  await vi.waitFor(() => expect(heard).toEqual(["ws_sales"]));
  path.add("ws_default", "more");
  await vi.waitFor(() => expect(heard).toEqual(["ws_sales", "ws_default"]));
});

it("all providers, for the host itself, are those of the default workspace", () => {
  expect(path.surfaces.providers().map(({ name }) => name)).toEqual(["p"]);
});

it("a task goes on in the workspace that it was begun in", async () => {
  const tasking = openPath(({ method }) => (method === "tools/call" ? begun() : state("working")), {
    findKey: (secret) => KEYS.get(secret) ?? null,
    isMember: () => true,
  });
  tasking.admitted = false;
  tasking.add("ws_sales", "crm");
  const presented = bearer("sales");
  const { ending } = await tasking.call({ name: "crm__t", presented, asker: taskCaller() });
  const { taskId } = JSON.parse(jsonOf(ending)) as { taskId: string };
  const principal = tasking.identify(presented, "mcp")!;
  const { ending: asked } = await tasking.tasks.get(order(taskId, { principal, presented }));
  expect(JSON.parse(jsonOf(asked))).toMatchObject({ taskId, status: "working" });
  tasking.close();
});
