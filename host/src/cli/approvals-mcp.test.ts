/** A call that a person has to allow, at every MCP door of a whole host: real clients, a real server, a real person's key. */
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApprovalHouse, type ApprovalHouse } from "./approvals-mcp-for-tests.ts";
import { openDoors } from "./doors-for-tests.ts";
import { CLIENTS, type TestClient } from "./mcp-clients-for-tests.ts";

/** One that waits long, and one that does not; calls of different tests differ in their arguments. */
let patient: ApprovalHouse;
let hasty: ApprovalHouse;
beforeAll(async () => {
  [patient, hasty] = await Promise.all([openApprovalHouse(30), openApprovalHouse(1)]);
});
afterAll(() => Promise.all([patient.clean(), hasty.clean()]));

const TEXT = "fixture__test_simple_text";
const RAN = [
  "approval_requested",
  "approval_granted",
  "approval_grant_verified",
  "execution_started",
  "execution_completed",
];
const kindOf = (result: { readonly _meta?: Readonly<Record<string, unknown>> }): unknown =>
  (result._meta?.["dev.bailiwick/refusal"] as { kind?: string } | undefined)?.kind;
const connect = (name: string, { house }: ApprovalHouse): Promise<TestClient> =>
  CLIENTS.find(({ client }) => client === name)!.connect(`${house.origin}/mcp`, house.key);

describe.each(CLIENTS.map(({ client }) => client))("a client that can only wait (%s)", (name) => {
  it("is held while a person decides, hears that it waits, and gets the result; the number only grows", async () => {
    const [client, args] = [await connect(name, patient), { by: name, held: true }];
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void heard.push(progress);
    const calling = client.call("fixture__test_tool_with_progress", args, { onprogress });
    const approval = await patient.pending(args);
    await patient.decide(approval.id, "approve");
    expect((await calling).isError).not.toBe(true);
    expect(heard[0]).toBe(1);
    expect(heard.slice(1).every((progress, i) => progress >= heard[i]!)).toBe(true);
    expect(await patient.events(approval)).toEqual(RAN);
    await client.close();
  });

  it("hears after its time what it waits for, and the same call later joins the same approval and runs once", async () => {
    const [client, args] = [await connect(name, hasty), { by: name }];
    expect(kindOf(await client.call(TEXT, args))).toBe("approval_pending");
    expect(kindOf(await client.call(TEXT, args))).toBe("approval_pending");
    const [approval, ...more] = await hasty.approvals(args);
    expect(more).toEqual([]);
    await hasty.decide(approval!.id, "approve");
    expect(kindOf(await client.call(TEXT, args))).toBeUndefined();
    expect(kindOf(await client.call(TEXT, args))).toBe("approval_pending");
    await client.close();
  });

  it("hears the reason of a no, while it waits and later", async () => {
    const [client, args] = [await connect(name, patient), { by: name, denied: true }];
    const calling = client.call(TEXT, args);
    await patient.decide((await patient.pending(args)).id, "deny", "not today");
    for (const result of [await calling, await client.call(TEXT, args)]) {
      expect(kindOf(result)).toBe("approval_denied");
      expect(result.content[0]?.text).toContain("not today");
    }
    await client.close();
  });
});

it("leaves the approval pending when its caller cancels the call", async () => {
  const [client, args] = [await connect("SDK v1", patient), { by: "somebody who leaves" }];
  const leaving = new AbortController();
  const calling = client.call(TEXT, args, { signal: leaving.signal }).catch(() => "gone");
  const { id } = await patient.pending(args);
  leaving.abort();
  expect(await calling).toBe("gone");
  await patient.decide(id, "approve");
  expect(kindOf(await client.call(TEXT, args))).toBeUndefined();
  expect(await patient.approvals(args)).toMatchObject([{ id, state: "consumed" }]);
  await client.close();
});

it("is asked for at the doors of a pipe too, where all callers are one and join", async () => {
  const [doors, args] = [await openDoors(hasty.house), { by: "the pipe" }];
  const piped = doors.filter((door) => door.name.includes("pipe"));
  for (const door of piped) expect((await door.call(TEXT, args)).refused).toBe("approval_pending");
  await hasty.decide((await hasty.pending(args)).id, "approve");
  expect((await piped[1]!.call(TEXT, args)).refused).toBeNull();
  for (const door of doors) await door.close();
});

describe("a modern client that opens pages", () => {
  const PAGES = { elicitation: { form: {}, url: {} } };
  const open = async (opened: (url: string) => Promise<void>) => {
    const versionNegotiation = { mode: { pin: "2026-07-28" } } as const;
    const client = new ModernSdk({ name: "t", version: "1" }, { versionNegotiation, capabilities: PAGES });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      if (!("url" in params)) return { action: "accept", content: { name: "x" } };
      await opened(params.url);
      return { action: "accept" };
    });
    const requestInit = { headers: { Authorization: `Bearer ${patient.house.key}` } };
    await client.connect(new ModernHttp(new URL(`${patient.house.origin}/mcp`), { requestInit }));
    return { client, asked };
  };
  const send = async (url: string, fields: Record<string, string>): Promise<string> => {
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
    return response.text();
  };

  it("sends the person to the page, where the exact call is shown and allowed; then it runs", async () => {
    const { client, asked } = await open(async (url) => {
      expect(await (await fetch(url)).text()).not.toContain(TEXT);
      expect(await send(url, { key: patient.house.key })).toContain(TEXT);
      expect(await send(url, { key: patient.house.key, decision: "approve" })).toContain("<h1>Allowed</h1>");
    });
    const result = await client.callTool({ name: TEXT, arguments: { by: "page" } });
    expect([result.isError, asked.length]).toEqual([undefined, 1]);
    const [approval] = await patient.approvals({ by: "page" });
    expect((await patient.events(approval!)).filter((type) => type !== "execution_denied")).toEqual(RAN);
    await client.close();
  });

  it("asks for no second approval when the server asks something before it goes on", async () => {
    const { client, asked } = await open(async (url) => {
      await send(url, { key: patient.house.key, decision: "approve" });
    });
    const name = "fixture__test_input_required_result_elicitation";
    const result = await client.callTool({ name, arguments: { by: "page, asked" } });
    expect(result.isError).not.toBe(true);
    expect(asked).toHaveLength(2);
    expect(await patient.approvals({ by: "page, asked" })).toMatchObject([{ state: "consumed" }]);
    await client.close();
  });

  it("is let through by nothing but the page: an eager yes of the client decides nothing", async () => {
    const { client } = await open(async (url) => {
      await send(url, { key: patient.house.key, decision: "deny", reason: "no" });
    });
    const result = await client.callTool({ name: TEXT, arguments: { by: "page, refused" } });
    expect(kindOf(result as { _meta?: Record<string, unknown> })).toBe("approval_denied");
    await client.close();
  });
});
