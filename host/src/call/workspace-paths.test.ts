/** Paths and roots through the whole call path: what a tool that works on files is sent, and what is refused. */
import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import type { ListedTool } from "../kernel/provider.ts";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";
import type { ClientRoots, RootList } from "../kernel/roots.ts";
import { rootListOf } from "../kernel/roots-for-tests.ts";
import { caller, openPath, result, type Answering, type TestPath, type TestPathOptions } from "./path-for-tests.ts";
import { shapeAnswer } from "./result/shape-answer.ts";

const PATH = { type: "string", format: "workspace-path" };
const toolOf = (name: string, required: readonly string[]): ListedTool => {
  const inputSchema = { type: "object", properties: { path: PATH, also: { type: "array", items: PATH } } };
  const value = { name, inputSchema, _meta: { dcc: { required_capabilities: required } } };
  return { name, definition: "sha256:1", json: rawJson(JSON.stringify(value)), value };
};
const TOOLS = [toolOf("open", ["usd", "filesystem.read"]), toolOf("plain", ["usd"])];
const ANN: Principal = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: ["*"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "k",
};

let dir: string;
let lists: { current: RootList };
let path: TestPath;
const asked: unknown[] = [];

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-paths-")));
  mkdirSync(join(dir, "hero/assets"), { recursive: true });
  mkdirSync(join(dir, "renders"));
  symlinkSync("/etc", join(dir, "hero/link"));
  lists = { current: rootListOf({ hero: join(dir, "hero"), renders: join(dir, "renders") }) };
  asked.length = 0;
});
afterEach(() => {
  path.close();
  rmSync(dir, { recursive: true });
});

const open = (options: Partial<TestPathOptions> = {}, answering: Answering = () => result('{"content":[]}')): void => {
  const roots: TestPathOptions["roots"] = (ask) => {
    asked.push(ask);
    return lists.current;
  };
  path = openPath(answering, { tools: TOOLS, declared: ["usd", "filesystem.read"], roots, ...options });
};

const call = (argsJson: string, more: Partial<RawCall> = {}): Promise<Answer> =>
  path.call({
    name: "p__open",
    args: JSON.parse(argsJson) as RawCall["args"],
    argsJson: rawJson(argsJson),
    ...more,
  });
const refusedAs = (answer: Answer): unknown =>
  answer.ending.kind === "refusal" ? `${answer.ending.refusal.kind} ${answer.ending.stage}` : answer.ending;

describe("a tool that works on files", () => {
  it("is sent absolute paths, and everything else as it came", async () => {
    open();
    const args =
      '{"n":1.50, "path" : "workspace://assets/a%20b","also":["x","workspace://@renders/\\u0061"],"note":"x"}';
    await call(args);
    const hero = JSON.stringify(join(dir, "hero/assets/a b"));
    const sent = args
      .replace('"workspace://assets/a%20b"', hero)
      .replace('["x","workspace://@renders/\\u0061"]', JSON.stringify([join(dir, "hero/x"), join(dir, "renders/a")]));
    expect(path.sent[0]?.params).toBe(`"name":"open","arguments":${sent}`);
    expect(JSON.stringify(path.events)).not.toContain(dir);
  });

  it.each([
    ["path_outside_roots", "../x", null],
    ["path_outside_roots", "workspace://%2e%2e/x", "hero"],
    ["path_outside_roots", "workspace://link/passwd", "hero"],
    ["path_outside_roots", "/etc/passwd", null],
    ["invalid_path", "workspace://a%2Fb", null],
    ["invalid_path", "", null],
    ["unknown_root", "workspace://@nobody/a", "nobody"],
    ["unsupported_scheme", "http://x.test/a", null],
  ])("is refused %s for %j, in the shape of each door", async (kind, given, root) => {
    open();
    const answer = await call(JSON.stringify({ also: ["a", given] }));
    expect(refusedAs(answer)).toBe(`${kind} 7`);
    const about = { path: given, ...(root === null ? {} : { root }) };
    const mcp = shapeAnswer.mcp(answer, "call");
    const error = JSON.parse(mcp.json) as { code: number; data: { next: string; details: object } };
    expect([mcp.member, error.code]).toEqual(["error", -32602]);
    expect(error.data).toMatchObject({ kind, ...about, retryable: false, remedy: error.data.next, details: about });
    const rest = shapeAnswer.rest(answer);
    expect([rest.status, JSON.parse(rest.json)]).toMatchObject([422, { error: kind, data: { kind, ...about } }]);
    const { outcome, denial } = JSON.parse(shapeAnswer.chp(answer)) as { outcome: string; denial: object };
    const details = { kind, ...about, remedy: error.data.next };
    const code = "input_schema_validation_failed";
    expect([outcome, denial]).toMatchObject(["denied", { code, retryable: false, details }]);
    for (const text of [mcp.json, rest.json, shapeAnswer.chp(answer)]) expect(text).not.toContain(dir);
    expect([path.sent, path.events.map(({ type }) => type)]).toEqual([[], ["execution_denied"]]);
  });

  it("is refused where there is no root, in the words of the contract", async () => {
    lists.current = rootListOf({});
    open();
    const answer = await call('{"path":"workspace://a"}');
    expect(JSON.parse(shapeAnswer.mcp(answer, "call").json)).toMatchObject({
      code: -32602,
      message: 'no workspace roots advertised by client; cannot resolve "workspace://a"',
      data: { kind: "no_workspace_roots", path: "workspace://a" },
    });
  });

  it("is told its roots in _meta and by roots/list, whatever the caller says or declares", async () => {
    const listed: string[] = [];
    open({}, async ({ asker, signal }) => {
      const { json } = await asker.ask({ method: "roots/list", params: rawJson("{}"), key: null }, signal);
      listed.push(json);
      return result('{"content":[]}');
    });
    const forged = '{"roots":[{"uri":"file:///"}]}';
    const meta = rawMembers(`"a":1,"dcc":{"work\\u0073pace_roots":${forged},"x":1.0}`);
    const asker = caller('{"roots":{}}', () => forged);
    await call("{}", { meta, asker });
    await call("{}", { meta, asker, name: "p__plain" });
    await call("{}", { meta, name: "p__plain" });
    lists.current = rootListOf({});
    await call("{}", {});
    expect(path.sent.map((request) => request.meta)).toEqual([
      `"a":1,"dcc":{"workspace_roots":${rootListOf({ hero: join(dir, "hero"), renders: join(dir, "renders") }).json},"x":1.0}`,
      '"a":1,"dcc":{"x":1.0}',
      '"a":1,"dcc":{"x":1.0}',
      '"dcc":{"workspace_roots":null}',
    ]);
    const own = rootListOf({ hero: join(dir, "hero"), renders: join(dir, "renders") }).listing;
    expect(listed).toEqual([own, forged, own, '{"roots":[]}']);
  });

  it("works in the roots of its workspace and its client", async () => {
    open();
    const clientRoots: ClientRoots = { listed: [], via: "stdio" };
    await call('{"path":"a"}', { clientRoots });
    expect(asked[0]).toEqual({ workspace: "ws_default", clientRoots });
    asked.length = 0;
    await call('{"path":"a"}', { name: "p__plain", clientRoots });
    expect(asked).toEqual([]);
    expect(path.sent[1]?.params).toContain('"path":"a"');
    expect(path.sent[1]?.facts?.()).toMatchObject({ workspace: "ws_default", required: ["usd"], roots: lists.current });
    expect(path.sent[0]?.facts?.()).toMatchObject({
      invocationId: path.events[0]?.invocationId,
      correlationId: path.events[0]?.correlation.id,
      required: ["usd", "filesystem.read"],
    });
  });
});

describe("_workspace_roots", () => {
  it.each(["p__open", "p__plain", "p__t"])("is no argument that a caller of %s may send", async (name) => {
    open();
    const answer = await call('{"_workspace\\u005froots":null}', { name });
    expect(refusedAs(answer)).toBe("invalid_input 7");
    expect(path.sent).toEqual([]);
  });

  it("may stand deeper, where it means nothing", async () => {
    open();
    await call('{"note":{"_workspace_roots":1}}');
    expect(path.sent[0]?.params).toContain('{"note":{"_workspace_roots":1}}');
  });
});

const ASK = { id: "ask", match: { tools: ["p__*"] }, effect: "require_approval" } as const;

const hold = async (more: Partial<RawCall> = {}): Promise<{ waiting: Promise<Answer>; id: string }> => {
  const first = Promise.withResolvers<string>();
  path.approvals.onChange(({ id }) => first.resolve(id));
  const waiting = call('{"path":"workspace://assets/a"}', { approvalWaitMs: 20_000, ...more });
  return { waiting, id: await first.promise };
};
const swap = (): void => {
  rmdirSync(join(dir, "hero/assets"));
  symlinkSync("/etc", join(dir, "hero/assets"));
};

describe("while a call is on its way", () => {
  it("a folder that became a link while a person decided ends it", async () => {
    open({ policy: { rules: [ASK] } });
    const { waiting, id } = await hold();
    swap();
    await path.approvals.decide(ANN, id, { approve: true });
    expect(refusedAs(await waiting)).toContain("path_outside_roots");
    expect(path.sent).toEqual([]);
  });

  it.each<[string, string, () => void]>([
    ["path_outside_roots 10", "a folder that became a link", swap],
    ["stale_surface 10", "a root that is gone", () => (lists.current = rootListOf({ renders: join(dir, "renders") }))],
    ["no_workspace_roots 10", "no root that is left", () => (lists.current = rootListOf({}))],
  ])("%s: %s right before it is sent", async (expected, _, change) => {
    open();
    const push = path.events.push.bind(path.events);
    path.events.push = (...drafts) => {
      if (drafts[0]?.type === "execution_started") change();
      return push(...drafts);
    };
    const answer = await call('{"path":"workspace://assets/a"}');
    expect(refusedAs(answer)).toBe(expected);
    expect(path.sent).toEqual([]);
    expect(path.events.map(({ type }) => type)).toEqual(["execution_started", "execution_failed"]);
  });

  it("an approval is of the arguments as given and of the roots that there were", async () => {
    open({ policy: { rules: [ASK] } });
    const me = (await call("{}")).principal ?? ANN;
    const { waiting, id } = await hold();
    const record = path.approvals.get(ANN, id);
    expect(record?.arguments).toEqual({ path: "workspace://assets/a" });
    const explained = (): string | null =>
      path.explain({ name: "p__open", args: { path: "workspace://assets/a" } }, me).digest;
    expect(explained()).toBe(record?.digest);
    await path.approvals.decide(ANN, id, { approve: true });
    await waiting;
    expect(path.sent).toHaveLength(1);

    const again = await hold();
    lists.current = rootListOf({ renders: join(dir, "renders") });
    expect(explained()).not.toBe(record?.digest);
    const next = Promise.withResolvers<string>();
    path.approvals.onChange(({ id: other }) => other !== again.id && next.resolve(other));
    await path.approvals.decide(ANN, again.id, { approve: true });
    await path.approvals.decide(ANN, await next.promise, { approve: true });
    await again.waiting;
    expect(path.sent[1]?.params).toContain(join(dir, "renders/assets/a"));
  });

  it("the roots are no part of what is approved for a tool that does not work on files", async () => {
    open({ policy: { rules: [ASK] } });
    const { waiting, id } = await hold({ name: "p__plain" });
    lists.current = rootListOf({});
    await path.approvals.decide(ANN, id, { approve: true });
    await waiting;
    expect(path.sent).toHaveLength(1);
  });
});

describe("what is said of paths elsewhere", () => {
  it("explain shows the check", () => {
    open();
    const checks = (args: object): unknown =>
      path
        .explain({ name: "p__open", args: { ...args } }, ANN)
        .stages.filter(({ check }) => check === "workspace_paths");
    expect(checks({ path: "workspace://a" })).toMatchObject([{ stage: 7, status: "pass" }]);
    expect(checks({ path: "/etc/passwd" })).toMatchObject([{ stage: 7, status: "fail", next: expect.any(String) }]);
  });

  it("rules, guardrails and standing approvals ask where a path lies", async () => {
    const under = [{ path: "/path", op: "under", value: "renders" }] as const;
    open({
      policy: {
        rules: [
          { id: "no", match: { tools: ["p__open"], arguments: under.slice() }, effect: "deny" },
          { ...ASK, match: { tools: ["p__plain"] } },
        ],
        guardrails: [
          { id: "g", tools: ["p__open"], deny_if: [{ path: "/path", op: "under", value: "workspace://assets" }] },
        ],
      },
    });
    const end = async (given: string, name: string): Promise<unknown> =>
      refusedAs(await call(JSON.stringify({ path: given }), { name }));
    expect(await end("workspace://@renders/a", "p__open")).toBe("policy_denied 6");
    expect(await end("workspace://assets/a", "p__open")).toBe("guardrail_blocked 7");
    expect(await end("workspace://b", "p__open")).toMatchObject({ kind: "result" });
    const me = (await call("{}", { name: "p__t" })).principal?.id ?? "";
    await path.approvals.grantStanding(
      { ...ANN, id: "person:bob" },
      {
        tools: ["p__plain"],
        principal: me,
        arguments: under.slice(),
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      },
    );
    expect(await end("workspace://@renders/a", "p__plain")).toMatchObject({ kind: "result" });
    expect(await end("workspace://a", "p__plain")).toBe("approval_pending 8");
  });
});
