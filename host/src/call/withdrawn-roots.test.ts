/** What a client announces by the time that its call is sent: what it withdrew meanwhile counts no more. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import type { ListedTool } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { ClientRoots } from "../kernel/roots.ts";
import { rootListOf } from "../kernel/roots-for-tests.ts";
import { caller, openPath, result, wants, type Answering, type TestPath } from "./path-for-tests.ts";

const ASK = { id: "ask", match: { tools: ["p__*"] }, effect: "require_approval" } as const;
const VALUE = {
  name: "open",
  inputSchema: { type: "object", properties: { path: { type: "string", format: "workspace-path" } } },
  _meta: { dcc: { required_capabilities: ["filesystem.read"] } },
};
const TOOL: ListedTool = { name: "open", definition: "sha256:1", json: rawJson(JSON.stringify(VALUE)), value: VALUE };
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
const HERO: ClientRoots = { listed: [{ uri: "file:///hero", name: "hero" }], via: "stdio" };
const NONE: ClientRoots = { listed: [], via: "stdio" };

let dir: string;
let path: TestPath;
let session: { current: ClientRoots | null };
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-withdrawn-")));
  for (const name of ["hero", "own"]) mkdirSync(join(dir, name));
  session = { current: HERO };
});
afterEach(() => {
  path.close();
  rmSync(dir, { recursive: true });
});

const open = (answering: Answering, policy: object = {}): void => {
  const [hero, own] = [rootListOf({ hero: join(dir, "hero") }), rootListOf({ own: join(dir, "own") })];
  path = openPath(answering, {
    policy,
    tools: [TOOL],
    declared: ["filesystem.read"],
    roots: ({ clientRoots }) => (clientRoots === HERO ? hero : own),
  });
};
const call = (given: string, more: Partial<RawCall> = {}): Promise<Answer> => {
  const args = { path: given };
  const argsJson = rawJson(JSON.stringify(args));
  return path.call({ name: "p__open", args, argsJson, clientRoots: session.current, announcing: session, ...more });
};
const hold = async (given: string): Promise<{ waiting: Promise<Answer>; id: string }> => {
  const first = Promise.withResolvers<string>();
  path.approvals.onChange(({ id }) => first.resolve(id));
  const waiting = call(given, { approvalWaitMs: 20_000 });
  return { waiting, id: await first.promise };
};

describe("a root that its client withdraws while a person is asked", () => {
  it("is no root of the call any more, which asks anew for what there is now", async () => {
    open(() => result('{"content":[]}'), { rules: [ASK] });
    const { waiting, id } = await hold("workspace://a");
    session.current = NONE;
    const next = Promise.withResolvers<string>();
    path.approvals.onChange(({ id: other }) => other !== id && next.resolve(other));
    await path.approvals.decide(ANN, id, { approve: true });
    const second = await next.promise;
    expect([path.sent, path.approvals.get(ANN, id)?.state]).toEqual([[], "granted"]);
    await path.approvals.decide(ANN, second, { approve: true });
    expect((await waiting).outcome).toBe("success");
    expect(path.sent[0]?.params).toContain(join(dir, "own/a"));
    expect(path.sent[0]?.meta).not.toContain(join(dir, "hero"));
    expect(path.sent[0]?.facts?.().roots.rows).toMatchObject([{ name: "own" }]);
  });

  it("ends the call where its path lies in no other", async () => {
    open(() => result('{"content":[]}'), { rules: [ASK] });
    const { waiting, id } = await hold(join(dir, "hero/a"));
    session.current = NONE;
    await path.approvals.decide(ANN, id, { approve: true });
    expect((await waiting).ending).toMatchObject({ refusal: { kind: "path_outside_roots" } });
    expect(path.sent).toEqual([]);
  });
});

it("a root that is withdrawn between two rounds of a call ends it before the second is sent", async () => {
  const ask = '"who":{"method":"elicitation/create","params":{"message":"Who?"}}';
  open(() => wants(`{"resultType":"input_required","inputRequests":{${ask}},"requestState":"s"}`));
  const asker = caller('{"elicitation":{}}', () => {
    session.current = NONE;
    return '{"action":"accept"}';
  });
  expect((await call("a", { asker })).ending).toMatchObject({ refusal: { kind: "stale_surface" }, stage: 10 });
  expect(path.sent).toHaveLength(1);
});
