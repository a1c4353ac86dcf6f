import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Explanation } from "../kernel/explanation.ts";
import type { PolicyReport } from "../kernel/policy-report.ts";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

const explanation: Explanation = {
  tool: "billing__refund",
  capability_id: "refund",
  principal: "agent://planner",
  verdict: "wait",
  decided_by: { stage: 8, name: "approval", rule: "refunds" },
  digest: "sha256:0",
  surface: "s1",
  policy_version: "v1",
  stages: [
    { stage: 3, name: "surface", check: "allowed_actors", status: "pass", why: "listed" },
    { stage: 6, name: "policy", check: "rules", status: "not_evaluated", why: "needs \u001B[2Jthe tool" },
    {
      stage: 8,
      name: "approval",
      check: "refunds",
      status: "fail",
      why: "none yet",
      next: "Call it; a person decides",
    },
  ],
  next: { fixer: "approver", do: "Call it and wait." },
};

let wire: HostWire;
beforeAll(async () => {
  wire = await openHostWire();
});
beforeEach(() => {
  wire.asked.length = 0;
  wire.says.set("POST /v1/tools/explain", [200, explanation]);
});
afterAll(() => wire.close());

describe("explain", () => {
  it("shows the verdict, every check in order and the next step", async () => {
    const { code, out } = await wire.run(["explain", "billing__refund", '{"amount":5}', "--as", "agent:planner"]);
    expect(code).toBe(0);
    const [head, ...rows] = out.split("\n");
    expect(head).toBe("billing__refund by agent://planner would wait for a person (stage 8, approval: refunds)");
    expect(rows[1]).toMatch(/^3 surface +allowed_actors +pass +listed$/);
    expect(rows[2]).toMatch(/^6 policy +rules +not_evaluated +needs \\u\{1b\}\[2Jthe tool$/);
    expect(rows[3]).toMatch(/^8 approval +refunds +fail +none yet → Call it; a person decides$/);
    expect(rows[4]).toBe("→ Call it and wait. (approver)");
    expect(wire.asked).toMatchObject([
      {
        what: "POST /v1/tools/explain",
        body: { name: "billing__refund", arguments: { amount: 5 }, as: "agent:planner" },
      },
    ]);
  });

  it("asks for nobody else unless told to, and writes all of it as JSON", async () => {
    const { out } = await wire.run(["explain", "billing__refund", "--json"]);
    expect(JSON.parse(out)).toEqual(explanation);
    expect(wire.asked[0]?.body).toEqual({ name: "billing__refund", arguments: {} });
  });
});

describe("policy check", () => {
  const report = (over: Partial<PolicyReport> = {}): PolicyReport => ({
    mode: "enforce",
    digest: "sha256:abc",
    rules: [
      {
        id: "refunds",
        effect: "require_approval",
        source: "host",
        rule: { id: "refunds", match: { tools: ["billing__refund*"] } },
      },
    ],
    diagnostics: [],
    ...over,
  });

  it("lists the rules with where they stand", async () => {
    wire.says.set("GET /v1/policy", [200, report()]);
    const { code, out } = await wire.run(["policy", "check"]);
    expect(code).toBe(0);
    expect(out).toContain("policy sha256:abc\n");
    expect(out).toMatch(/^refunds +require_approval +host +\{"tools":\["billing__refund\*"\]\}$/m);
    expect(out).toContain("Nothing is wrong with it.");
    expect(out).not.toContain("audit");
  });

  it("ends with 2 when something in it cannot be used, and only then", async () => {
    const warning = { severity: "warning", where: "policy.capabilities.x__y", message: "no such tool" } as const;
    const error = { severity: "error", where: "policy.rules[0]", message: "unknown key" } as const;
    wire.says.set("GET /v1/policy", [200, report({ mode: "audit", diagnostics: [warning] })]);
    const warned = await wire.run(["policy", "check"]);
    expect(warned.code).toBe(0);
    expect(warned.out).toContain("mode audit");
    expect(warned.out).toContain("warning policy.capabilities.x__y: no such tool\n");
    wire.says.set("GET /v1/policy", [200, report({ diagnostics: [warning, error] })]);
    const failed = await wire.run(["policy", "check", "--json"]);
    expect(failed.code).toBe(2);
    expect(JSON.parse(failed.out)).toMatchObject({ diagnostics: [warning, error] });
  });
});

describe("policy test", () => {
  const test = (cases: unknown, ...more: string[]) => {
    writeFileSync(join(wire.dir, "cases.json"), typeof cases === "string" ? cases : JSON.stringify(cases));
    return wire.run(["policy", "test", "cases.json", ...more]);
  };
  const one = { as: "agent:planner", tool: "billing__refund", arguments: { amount: 5 }, expect: "wait" };

  it("asks about each case and is content when all end as they should", async () => {
    const { code, out } = await test([one, { ...one, rule: "refunds" }]);
    expect(code).toBe(0);
    expect(out).toBe("ok   agent:planner billing__refund: wait by refunds\n".repeat(2));
    const body = { name: "billing__refund", arguments: { amount: 5 }, as: "agent:planner" };
    expect(wire.asked).toMatchObject([{ body }, { body }]);
  });

  it("shows what ended otherwise, and ends with 1", async () => {
    const { code, out, err } = await test([one, { ...one, expect: "run" }, { ...one, rule: "other" }]);
    expect(code).toBe(1);
    expect(out).toContain("FAIL agent:planner billing__refund: wait by refunds\n");
    expect(out).toContain("     expected run, found wait by refunds (stage 8, approval)\n");
    expect(out).toContain("     expected wait by other, found wait by refunds (stage 8, approval)\n");
    expect(err).toBe("3 cases, 2 of them not as expected.\n");
  });

  it("writes the same as JSON", async () => {
    const { code, out } = await test([one, { ...one, expect: "refuse" }], "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      passed: 1,
      failed: 1,
      cases: [{ ok: true }, { ok: false, verdict: "wait" }],
    });
  });

  it.each([
    ["[", "not JSON"],
    [{}, "expected a list"],
    [[1], "case 1 is no object"],
    [[one, { ...one, as: undefined }], 'case 2 lacks "as"'],
    [[{ ...one, tool: "" }], 'lacks "tool"'],
    [[{ ...one, expect: "yes" }], 'lacks "expect"'],
    [[{ ...one, arguments: [] }], '"arguments" is no object'],
    [[{ ...one, rule: 1 }], '"rule" is no text'],
    [[{ ...one, expects: "run" }], 'has "expects"'],
  ])("%j is a usage error that asks nothing", async (cases, message) => {
    const { code, err } = await test(cases);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(wire.asked).toEqual([]);
  });

  it("names a file that is not there", async () => {
    const { code, err } = await wire.run(["policy", "test", "none.json"]);
    expect(code).toBe(2);
    expect(err).toContain("none.json");
  });
});

describe("the host's signing key", () => {
  const key = { key_id: "0".repeat(16), public_key: "AAAA", state: "current", since: "2026-01-02T03:04:05.678Z" };

  it("is listed and rotated", async () => {
    wire.says.set("GET /v1/host-key", [200, { keys: [key, { ...key, state: "revoked", reason: "lost" }] }]);
    wire.says.set("POST /v1/host-key/rotate", [200, { key: { ...key, key_id: "1".repeat(16) } }]);
    const { out } = await wire.run(["key", "list-host"]);
    expect(out).toMatch(/^0{16} +current +2026-01-02 +AAAA$/m);
    expect(out).toMatch(/^0{16} +revoked +2026-01-02 +AAAA +lost$/m);
    expect((await wire.run(["key", "rotate-host"])).out).toContain("1".repeat(16));
  });

  it("is revoked only on purpose", async () => {
    const revoke = ["key", "revoke-host", "a".repeat(16), "--reason", "lost"];
    wire.says.set("POST /v1/host-key/revoke", [200, { key: { ...key, state: "revoked" } }]);
    expect((await wire.run(revoke)).code).toBe(2);
    expect((await wire.run(revoke, "no\n")).code).toBe(3);
    expect((await wire.run(["key", "revoke-host", "nonsense", "--reason", "x", "--yes"])).code).toBe(2);
    expect((await wire.run(["key", "revoke-host", "a".repeat(16), "--yes"])).code).toBe(2);
    expect(wire.asked).toEqual([]);
    expect((await wire.run(revoke, "y\n")).code).toBe(0);
    expect((await wire.run([...revoke, "--yes"])).code).toBe(0);
    const body = { keyId: "a".repeat(16), reason: "lost" };
    expect(wire.asked).toMatchObject([{ body }, { body }]);
  });
});

describe("evidence that is to go", () => {
  it.each([
    [
      "purge",
      "corr_1",
      { correlation: "corr_1", events: 4 },
      { correlation: "corr_1", reason: "asked to" },
      "4 records",
    ],
    ["redact", "12", { sequence: 12, event_id: "evt_c1_0" }, { event: "12", reason: "asked to" }, "record 12"],
  ])("%s: goes only on purpose, with a reason", async (what, id, answer, body, shown) => {
    const command = ["evidence", what, id, "--reason", "asked to"];
    wire.says.set(`POST /v1/evidence/${what}`, [200, answer]);
    expect((await wire.run(command)).code).toBe(2);
    expect((await wire.run(["evidence", what, id, "--yes"])).code).toBe(2);
    expect((await wire.run(command, "no\n")).code).toBe(3);
    expect(wire.asked).toEqual([]);
    expect(await wire.run(command, "y\n")).toMatchObject({ code: 0, out: expect.stringContaining(shown) });
    expect(JSON.parse((await wire.run([...command, "--yes", "--json"])).out)).toEqual(answer);
    expect(wire.asked).toMatchObject([{ body }, { body }]);
  });

  it("stays when the host says so, and the person hears what to do", async () => {
    wire.says.set("POST /v1/evidence/purge", [403, { error: "protected", message: "It is held.", remedy: "Free it." }]);
    const { code, err } = await wire.run(["evidence", "purge", "corr_1", "--reason", "r", "--yes"]);
    expect([code, err]).toEqual([3, expect.stringContaining("Free it.")]);
  });
});
