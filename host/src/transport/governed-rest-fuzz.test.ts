/** The routes of approvals, evidence, policy, gates and the agent under input that nobody thought of: always an answer, never a fault. */
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approvalOf } from "./approvals-for-tests.ts";
import { JSON_HEADERS, knock } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
});
beforeEach(() => door.governance.queue.set("apr_1", approvalOf("apr_1")));
afterAll(async () => {
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const RUNS = { numRuns: 150 };
const odd = fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue(), fc.constantFrom(null, -1, 1e300, [], {}));

describe("an order of anything", () => {
  it.each([
    ["/v1/tools/explain", ["name", "server", "tool", "arguments", "surface", "as", "idempotencyKey"]],
    ["/v1/tools/call", ["name", "server", "tool", "arguments", "surface", "idempotencyKey"]],
    ["/v1/standing-approvals", ["tools", "principal", "arguments", "max_uses", "expires_at"]],
    ["/v1/host-key/revoke", ["keyId", "reason"]],
    ["/v1/approvals/apr_1", ["reason", "decision", "state"]],
    ["/v1/host/capabilities", ["declared", "providers"], "PUT"],
    ["/v1/roots/resolve", ["path", "root"]],
    ["/v1/skills/p/accept", ["digest"]],
    ["/v1/prompt", ["message", "conversationId", "maxIterations", "allowedTools", "skill", "fileRefs", "metadata"]],
    ["/v1/skills/match", ["message", "skill"]],
    ["/v1/conversations/conv_known01", ["title"], "PATCH"],
    ["/v1/conversations/conv_known01/fork", ["atMessage"]],
    ["/v1/conversations/conv_known01/cancel", ["reason"]],
  ])("to %s is taken or refused with a next step", async (path, members, method = "POST") => {
    const bodies = fc.dictionary(fc.constantFrom(...members), odd);
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { status, json } = await knock(door.origin, { method, path, body });
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(json).toMatchObject({ error: expect.any(String), remedy: expect.any(String) });
      }),
      RUNS,
    );
    expect(door.governance.queue.get("apr_1")?.state).toBe("pending");
  });
});

describe("a question of anything", () => {
  it.each(["/v1/approvals", "/v1/evidence", "/v1/evidence/export", "/v1/evidence/verify", "/v1/conversations"])(
    "to %s is answered or refused",
    async (path) => {
      const names = [
        "state",
        "limit",
        "cursor",
        "format",
        "from",
        "correlation",
        "payloads",
        "type",
        "search",
        "sortBy",
      ];
      const keys = fc.constantFrom(...names);
      const values = fc.oneof(fc.string({ unit: "binary" }), fc.integer().map(String));
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(keys, values), { maxLength: 4 }), async (pairs) => {
          const query = new URLSearchParams(pairs).toString();
          const { status } = await knock(door.origin, { method: "GET", path: `${path}?${query}` });
          expect([200, 400]).toContain(status);
        }),
        RUNS,
      );
    },
  );

  it("in the place of an id is not found", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), async (id) => {
        const name = encodeURIComponent(id.toWellFormed());
        const get = (path: string) => knock(door.origin, { method: "GET", path, headers: JSON_HEADERS });
        for (const path of [`approvals/${name}`, `evidence/${name}`, `runs/${name}/events`, `runs/${name}/prompt`]) {
          expect((await get(`/v1/${path}`)).status).toBe(404);
        }
        expect([400, 404]).toContain((await get(`/v1/conversations/${name}/history`)).status);
      }),
      { numRuns: 50 },
    );
  });
});
