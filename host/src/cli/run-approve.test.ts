import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalRecord } from "../kernel/approvals.ts";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

const ID = `apr_${"0".repeat(32)}`;
const AT = `/v1/approvals/${ID}`;

const record = (over: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id: ID,
  state: "pending",
  digest: "sha256:0123",
  invocation_id: "inv_1",
  correlation_id: "corr_1",
  capability: { id: "refund", version: "1.0.0", definition: "sha256:1" },
  tool: "billing__refund",
  arguments: { amount: 500, note: "for Ann" },
  requested_by: "agent:planner",
  on_behalf_of: "person:owner",
  workspace: "ws_default",
  door: "mcp",
  rule: "refunds",
  risk_tier: "high",
  required: { count: 1, approvers: [["role:manager", "person:ann"]], four_eyes: true },
  decisions: [],
  created_at: "2020-01-01T00:00:00.000Z",
  expires_at: "2999-01-01T00:00:00.000Z",
  ...over,
});

let wire: HostWire;
beforeAll(async () => {
  wire = await openHostWire();
});
beforeEach(() => {
  wire.asked.length = 0;
  wire.says.set("GET /v1/approvals", [200, { approvals: [record()], nextCursor: null }]);
  wire.says.set(`GET ${AT}`, [200, record()]);
  wire.says.set(`POST ${AT}`, [200, record({ state: "granted" })]);
});
afterAll(() => wire.close());

const decisions = () => wire.asked.filter(({ what }) => what.startsWith("POST")).map(({ body }) => body as unknown);

describe("approve", () => {
  it("lists what waits: id, tool, who asks for whom, risk and time left", async () => {
    const { code, out } = await wire.run(["approve"]);
    expect(code).toBe(0);
    const [head, row] = out.split("\n");
    expect(head).toMatch(/^id +tool +asked by +risk +expires$/);
    expect(row).toMatch(new RegExp(`^${ID} +billing__refund +agent:planner for person:owner +high +in \\d+ days$`));
    expect(wire.asked[0]?.what).toBe("GET /v1/approvals?state=pending");
  });

  it("reads every page of a long list, and writes it as JSON", async () => {
    const second = record({ id: "apr_2" });
    wire.says.set("GET /v1/approvals", (query) =>
      query.get("cursor") === ID
        ? [200, { approvals: [second], nextCursor: null }]
        : [200, { approvals: [record()], nextCursor: ID }],
    );
    const { out } = await wire.run(["approve", "--json"]);
    expect(JSON.parse(out)).toEqual({ approvals: [record(), second] });
  });

  it("says so when nothing waits", async () => {
    wire.says.set("GET /v1/approvals", [200, { approvals: [], nextCursor: null }]);
    expect(await wire.run(["approve"])).toEqual({ code: 0, out: "", err: "Nothing waits for approval.\n" });
  });

  it("shows the exact call before it decides", async () => {
    const { code, out } = await wire.run(["approve", ID, "yes", "--reason", "fine"]);
    expect(code).toBe(0);
    const shown = [
      "billing__refund (refund 1.0.0)",
      "agent:planner for person:owner, over mcp, in ws_default",
      "refunds (risk high)",
      "one person: role:manager or person:ann; not the one it is for (four eyes)",
      "sha256:0123",
      '    "amount": 500,\n    "note": "for Ann"',
    ];
    for (const text of shown) expect(out).toContain(text);
    expect(out).toMatch(/\nApproved\. .+\n$/);
    expect(decisions()).toEqual([{ decision: "approve", reason: "fine" }]);
  });

  it("denies", async () => {
    expect((await wire.run(["approve", ID, "no"])).out).toMatch(/\nDenied\.\n$/);
    expect(decisions()).toEqual([{ decision: "deny" }]);
  });

  it("with --json writes the decided approval, and the call beside it", async () => {
    const { out, err } = await wire.run(["approve", ID, "yes", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ id: ID, state: "granted" });
    expect(err).toContain('"amount": 500');
  });

  it("says how many more must agree", async () => {
    const by = { by: "person:ann", decision: "approve", at: "2020-01-01T00:00:00.000Z", reason: "ok" } as const;
    const half = record({ required: { count: 2, approvers: [], four_eyes: false }, decisions: [by] });
    wire.says.set(`POST ${AT}`, [200, half]);
    expect((await wire.run(["approve", ID, "yes"])).out).toContain("Your yes is recorded; 1 more needed.");
    wire.says.set(`GET ${AT}`, [200, half]);
    expect((await wire.run(["approve", ID])).out).toContain("approve by person:ann at 2020-01-01T00:00:00.000Z: ok");
  });

  it.each([
    ["yes\n", 0, [{ decision: "approve" }]],
    ["no\n", 0, [{ decision: "deny" }]],
    ["\n", 4, []],
    ["maybe\n", 4, []],
    ["", 4, []],
  ])("asks the person at the terminal, who types %j", async (typed, code, expected) => {
    const ran = await wire.run(["approve", ID], typed);
    expect(ran.err).toContain("Approve this call? [yes/no, Enter leaves it] ");
    expect(ran.code).toBe(code);
    expect(decisions()).toEqual(expected);
  });

  it("asks nobody where nobody sits, and nobody about what is decided", async () => {
    const { code, err } = await wire.run(["approve", ID]);
    expect(code).toBe(4);
    expect(err).toContain(`bailiwick approve ${ID} yes|no`);
    wire.says.set(`GET ${AT}`, [200, record({ state: "denied", reason: "policy changed" })]);
    const ended = await wire.run(["approve", ID], "yes\n");
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toContain("policy changed");
    expect(decisions()).toEqual([]);
  });

  it("ends as refused when the host says no, with its next step", async () => {
    const no = { error: "not_visible", message: "You may not decide it.", remedy: "Ask role:manager." };
    wire.says.set(`POST ${AT}`, [403, no]);
    const { code, err } = await wire.run(["approve", ID, "yes"]);
    expect(code).toBe(3);
    expect(err).toBe("You may not decide it.\n→ Ask role:manager.\n");
  });

  it.each([
    [[ID, "maybe"], "neither yes nor no"],
    [["--reason", "x"], "A reason needs a decision."],
    [[ID, "--reason", "x"], "A reason needs a decision."],
  ])("%j is a usage error that asks nothing", async (args, message) => {
    const { code, err } = await wire.run(["approve", ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(wire.asked).toEqual([]);
  });

  it("shows what would fool a terminal or an eye", async () => {
    const hostile = record({
      tool: "a__\u001B[2Kb",
      requested_by: "agent:x\nApproved.",
      rule: "r\u202Eevil",
      arguments: { "\u001B[2J": "\u0007\r\u009B31m\u200Bx\u{E0041}", line: "a\nb\u2028c", back: "\b\u007F" },
    });
    wire.says.set("GET /v1/approvals", [200, { approvals: [hostile], nextCursor: null }]);
    wire.says.set(`GET ${AT}`, [200, hostile]);
    for (const argv of [["approve"], ["approve", ID]]) {
      const { out, err } = await wire.run(argv);
      expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
      expect(out).toContain("agent:x\\u{a}Approved.");
      expect(out).toContain("a__\\u{1b}[2Kb");
    }
    const { out } = await wire.run(["approve", ID]);
    expect(out).toContain('"line": "a\\nb\\u{2028}c"');
    expect(out).toContain("\\u0007\\r\\u{9b}31m\\u{200b}x\\u{e0041}");
  });

  it("does not pretend to show arguments that the reader may not see", async () => {
    wire.says.set(`GET ${AT}`, [200, record({ arguments: null })]);
    expect((await wire.run(["approve", ID])).out).toContain("you may not see them");
  });
});

describe("call", () => {
  const pending = {
    error: "approval_pending",
    message: "It waits.",
    remedy: "Repeat it.",
    data: { stage: 8, details: { approval_id: ID }, retryable: true },
  };

  it("ends with 4 when it waits for a person, and names the approval and the command", async () => {
    wire.says.set("POST /v1/tools/call", [202, { approvalId: ID, ...pending }]);
    const { code, err } = await wire.run(["call", "billing__refund"]);
    expect(code).toBe(4);
    expect(err).toContain("It waits.\n→ Repeat it.\n");
    expect(err).toContain(`bailiwick approve ${ID}\n`);
    expect(wire.asked.at(-1)?.prefer).toBeUndefined();
  });

  it("waits as long as it is told to, within bounds", async () => {
    await wire.run(["call", "billing__refund", "--wait", "20"]);
    expect(wire.asked.at(-1)?.prefer).toBe("wait=20");
    expect((await wire.run(["call", "billing__refund", "--wait", "301"])).code).toBe(2);
  });
});
