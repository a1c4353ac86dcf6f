import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { rawMembers } from "../kernel/raw-json.ts";
import { answerWith } from "./asking-call-for-tests.ts";
import { knock, modern, openSession, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";
import { APPROVAL, pendingCall } from "./pending-call-for-tests.ts";
import { META_CAPABILITIES } from "./protocol.ts";
import { makeSeals } from "./seals-for-tests.ts";
import { openTalk } from "./talk-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

const doors: TestDoor[] = [];
const open = async (options: TestDoorOptions = {}): Promise<TestDoor> => {
  const door: TestDoor = await openTestDoor({ handleCall: pendingCall(() => door), ...options });
  doors.push(door);
  return door;
};
afterEach(async () => {
  for (const door of doors.splice(0)) {
    await door.listener.close();
    expect([door.bugs, door.listener.load()]).toEqual([[], { calls: 0, sessions: 0 }]);
  }
});

const PAGES = { elicitation: { form: {}, url: {} } };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const PARAMS = { name: "p__pay", arguments: { amount: 5 } };
const call = (
  door: TestDoor,
  declared: object,
  more: Record<string, unknown> = {},
  { key = OWNER, path = "/mcp", method = "tools/call" }: { key?: string; path?: string; method?: string } = {},
): Promise<Said> => {
  const params = { ...PARAMS, ...more, _meta: { [META_CAPABILITIES]: declared } };
  return knock(door.origin, { ...modern(method, params, { authorization: `Bearer ${key}` }), path });
};
const decide = (door: TestDoor, state: "granted" | "denied"): void => {
  const record = door.governance.queue.get(APPROVAL);
  if (record) door.governance.queue.set(APPROVAL, { ...record, state });
};
const PAGE = `http://127.0.0.1:7420/approvals/${APPROVAL}?workspace=${WORKSPACE}`;
const stateOf = (said: Said): string => said.json.result.requestState as string;
const waits = (door: TestDoor): (number | undefined)[] => door.calls.map((raw) => raw.approvalWaitMs);

describe("how long a call waits for a decision", () => {
  it("as long as is configured, over HTTP and on a pipe, in a legacy session", async () => {
    const door = await open({ limits: { approvalWaitSeconds: 7 } });
    const session = await openSession(door.origin);
    const said = await session.call("tools/call", PARAMS);
    expect(said.json.result._meta["dev.bailiwick/refusal"].kind).toBe("approval_pending");
    const talk = openTalk(door);
    await talk.initialize();
    talk.request(1, "tools/call", PARAMS);
    expect((await talk.answer(1)).result.isError).toBe(true);
    talk.endInput();
    await talk.over;
    expect(waits(door)).toEqual([7000, 7000]);
  });

  it("the same in the modern era, but not where its client can be told otherwise", async () => {
    const door = await open();
    for (const declared of [
      {},
      { elicitation: {} },
      { elicitation: { form: {} } },
      PAGES,
      TASKS,
      { ...PAGES, ...TASKS },
    ])
      await call(door, declared);
    await call(door, TASKS, { name: undefined, uri: "a:b" }, { method: "resources/read" });
    expect(waits(door)).toEqual([50_000, 50_000, 50_000, 0, 0, 0, 50_000]);
  });

  it("on a pipe of a host that listens nowhere, where there is no page to open", async () => {
    const alone: TestDoor = await openTestDoor({ handleCall: pendingCall(() => alone), port: null });
    const talk = openTalk(alone);
    talk.modern(1, "tools/call", PARAMS, PAGES);
    expect((await talk.answer(1)).result.isError).toBe(true);
    expect(waits(alone)).toEqual([50_000]);
    talk.endInput();
    await talk.over;
    await alone.listener.close();
  });
});

describe("a modern client that opens pages", () => {
  it("is sent to the page of the approval, and its retry runs once the approval says so", async () => {
    const door = await open();
    const first = await call(door, PAGES);
    expect(first.json.result).toEqual({
      resultType: "input_required",
      inputRequests: {
        approval: {
          method: "elicitation/create",
          params: {
            mode: "url",
            message: `p__pay waits for the approval ${APPROVAL}.`,
            url: PAGE,
          },
        },
      },
      requestState: expect.stringMatching(/^bw1\./),
    });
    const declined = { inputResponses: { approval: { action: "decline" } }, requestState: stateOf(first) };
    const second = await call(door, PAGES, declined);
    expect(second.json.result.resultType).toBe("input_required");
    decide(door, "granted");
    const third = await call(door, PAGES, { requestState: stateOf(second) });
    expect(third.json.result).toEqual({ resultType: "complete", content: [], ran: true });
    const [, retry] = door.calls;
    expect(retry).toMatchObject({ continues: null, input: null, approvalWaitMs: 0 });
    expect(retry?.envelope).toMatchObject({ approvalRef: APPROVAL, correlationId: "corr_1", causationId: "inv_1" });
  });

  it("is waited for once it went there", async () => {
    const door = await open();
    const first = await call(door, PAGES);
    await call(door, PAGES, { inputResponses: { approval: { action: "accept" } }, requestState: stateOf(first) });
    expect(waits(door)).toEqual([0, 50_000]);
  });

  it("is not let through by what it answers", async () => {
    const door = await open();
    const first = await call(door, PAGES);
    const inputResponses = { approval: { action: "accept", content: { approve: true, decision: "approve" } } };
    const said = await call(door, PAGES, { inputResponses, requestState: stateOf(first) });
    expect(said.json.result.resultType).toBe("input_required");
    expect(door.governance.queue.get(APPROVAL)?.state).toBe("pending");
  });

  it("has a state that works once, for this caller, endpoint and call, and is this host's", async () => {
    const door = await open();
    const requestState = stateOf(await call(door, PAGES));
    decide(door, "granted");
    const wrong = [
      await call(door, PAGES, { requestState }, { key: OTHER }),
      await call(door, PAGES, { requestState }, { path: "/mcp/providers/p" }),
      await call(door, PAGES, { requestState, arguments: { amount: 6 } }),
      await call(door, PAGES, { requestState, name: "p__echo" }),
      await call(door, PAGES, { requestState: `${requestState}x` }),
    ];
    const reasons = wrong.map((said) => said.json.error?.data?.reason as unknown);
    expect(reasons).toEqual(wrong.map(() => "invalid_request_state"));
    expect(door.calls).toHaveLength(1);
    expect((await call(door, PAGES, { requestState })).json.result.ran).toBe(true);
    const again = await call(door, PAGES, { requestState });
    expect(again.json.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
    expect(door.statesRejected).toEqual(
      ["principal", "endpoint", "request", "request", "seal", "used"].map(
        (why, i) => `person:${i ? "owner" : "other"} ${why}`,
      ),
    );
    expect(door.calls).toHaveLength(2);
  });

  it("may come back after a restart of the host", async () => {
    const seals = makeSeals();
    const before = await open({ seals });
    const requestState = stateOf(await call(before, PAGES));
    await before.listener.close();
    const after = await open({ seals });
    expect((await call(after, PAGES, { requestState })).json.result.resultType).toBe("input_required");
  });

  it("goes through it with the protocol's own client", async () => {
    const door = await open();
    const versionNegotiation = { mode: { pin: "2026-07-28" } } as const;
    const client = new Client({ name: "t", version: "1" }, { versionNegotiation, capabilities: PAGES });
    const urls: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      urls.push("url" in params ? params.url : null);
      decide(door, "granted");
      return { action: "accept" };
    });
    const requestInit = { headers: { Authorization: `Bearer ${OWNER}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${door.origin}/mcp`), { requestInit }));
    expect((await client.callTool(PARAMS))["ran"]).toBe(true);
    expect(urls).toEqual([PAGE]);
    await client.close();
  });
});

describe("progress", () => {
  it("goes on where the host's own count ended", async () => {
    const door = await open({
      handleCall: async ({ listener }) => {
        for (const n of [1, 2]) listener.progress(rawMembers(`"progress":${n},"message":"waiting for approval apr_1"`));
        listener.progress(rawMembers('"progress":0.5,"total":10'));
        listener.progress(rawMembers('"total":10,"progress":7,"message":"x"'));
        return answerWith('{"content":[]}');
      },
    });
    const session = await openSession(door.origin);
    const said = await session.call("tools/call", { ...PARAMS, _meta: { progressToken: "t" } });
    const params = (said.json as any[])
      .filter(({ method }) => method === "notifications/progress")
      .map((each) => each.params);
    expect(params.map(({ progress, total }) => [progress, total])).toEqual([
      [1, undefined],
      [2, undefined],
      [2.5, 12],
      [9, 12],
    ]);
  });
});
