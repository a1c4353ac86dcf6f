/** A workspace's own policy while the host runs: it binds what waits, it is recorded, and a revoked key leaves nothing behind. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSession } from "../transport/client-for-tests.ts";
import { makeGovernedPlace, type GovernedPlace } from "./governed-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const PATIENT = { timeout: 20_000, interval: 50 };
const LAB = { "x-workspace-id": "ws_lab" };
const ASK = { id: "ask", match: { tools: ["ops__do"] }, effect: "require_approval" };
const by = (key: string, more: object = {}): Record<string, string> => ({ authorization: `Bearer ${key}`, ...more });

const put = (place: GovernedPlace, policy: object): void => {
  const file = join(place.workDir, "workspaces", "ws_lab", "workspace.json");
  mkdirSync(dirname(file), { recursive: true });
  const { bundles } = place.configured();
  writeFileSync(
    file,
    JSON.stringify({ members: ["agent:bot", "person:ann"], bundles, noDefaultBundles: true, policy }),
  );
};
const call = (host: WholeHost, headers: Record<string, string>) =>
  host.rest("POST", "/v1/tools/call", { name: "ops__do", arguments: { n: "a" } }, headers);
const waiting = async (host: WholeHost, headers: Record<string, string> = {}): Promise<string> => {
  const found = vi.waitFor(async () => {
    const { json } = await host.rest("GET", "/v1/approvals?state=pending", undefined, headers);
    expect(json.approvals).toHaveLength(1);
    return String(json.approvals[0].id);
  }, PATIENT);
  return found;
};

/** What the events of the caller's workspace say from now on. */
const hear = async ({ origin }: WholeHost, headers: Record<string, string>): Promise<{ text: string }> => {
  const heard = { text: "" };
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const { body } = await fetch(`${origin}/v1/events`, { headers, signal: ending.signal });
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) heard.text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return heard;
};

it("a changed policy of a workspace is recorded, takes back what waits there and nothing elsewhere, and is listed", async () => {
  const place = makeGovernedPlace(["do"], { policy: { rules: [ASK] } });
  put(place, {});
  const host = await place.start();
  await host.until("ops", "running");
  const { secret: agent } = await host.keys.create({ name: "planner" });
  const { secret: bot } = await host.keys.create({ name: "bot", as: "agent:bot", workspace: "ws_lab" });
  const elsewhere = await call(host, by(agent));
  expect(elsewhere.status).toBe(202);
  await vi.waitFor(
    async () => expect((await host.rest("GET", "/v1/tools", undefined, by(bot))).json.tools).not.toEqual([]),
    PATIENT,
  );
  const held = call(host, by(bot, { prefer: "wait=60" }));
  const id = await waiting(host, LAB);
  const heard = await hear(host, by(bot));
  const two = { ...ASK, id: "two", approval: { count: 2, four_eyes: true } };
  put(place, {
    rules: [two],
    guardrails: [{ id: "g", tools: ["ops__do"], deny_if: [{ path: "/n", op: "=", value: "a" }] }],
  });
  expect(await held).toMatchObject({ status: 403, json: { error: "guardrail_blocked" } });
  expect((await host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" }, LAB)).status).toBe(409);
  await vi.waitFor(() => expect(place.evidence("policy_changed")).toHaveLength(1), PATIENT);
  const [changed] = place.evidence("policy_changed");
  const version = expect.stringMatching(/^sha256:/);
  expect(changed?.payload).toEqual({ workspace: "ws_lab", before: version, after: version, by: "configuration" });
  expect(changed?.payload["before"]).not.toBe(changed?.payload["after"]);
  expect((await call(host, by(bot))).json.error).toBe("guardrail_blocked");
  expect((await host.rest("GET", `/v1/approvals/${elsewhere.json.approvalId}`)).json.state).toBe("pending");
  expect(place.effects()).toEqual([]);
  await vi.waitFor(() => expect(heard.text).toContain("event: surface.changed"), PATIENT);
});

it("of a person whose last key is revoked nothing stays: what its client asked for, what it approved in advance", async () => {
  const place = makeGovernedPlace(["do", "other"], {
    policy: { rules: [{ ...ASK, match: { tools: ["ops__*"] } }] },
    auth: { principals: { "person:ann": { permissions: ["approvals:decide"] } } },
  });
  const host = await place.start();
  await host.until("ops", "running");
  const { secret: ann } = await host.keys.create({ name: "ann", as: "person:ann" });
  const { secret: agent } = await host.keys.create({ name: "planner", for: "person:ann" });
  const client = await openSession(host.origin, "2025-11-25", "/mcp", ann);
  await client.call("tools/call", { name: "ops__do", arguments: { n: "a" } });
  const id = await waiting(host);
  const order = {
    tools: ["ops__other"],
    principal: "agent:planner",
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  expect((await host.rest("POST", "/v1/standing-approvals", order, by(ann))).status).toBe(201);
  const other = () => host.rest("POST", "/v1/tools/call", { name: "ops__other", arguments: {} }, by(agent));
  expect((await other()).status).toBe(200);
  await host.keys.revoke("ann");
  await vi.waitFor(async () => {
    const { json } = await host.rest("GET", `/v1/approvals/${id}`);
    expect(json).toMatchObject({ state: "cancelled", requested_by: "agent:mcp-client", on_behalf_of: "person:ann" });
    expect((await host.rest("GET", "/v1/standing-approvals")).json.standing).toEqual([]);
  }, PATIENT);
  expect((await other()).status).toBe(202);
  expect(place.effects()).toEqual(["other "]);
});

it("who decides about nothing approves nothing in advance", async () => {
  const place = makeGovernedPlace(["do"], { policy: { rules: [{ ...ASK, approval: { approvers: ["person:bob"] } }] } });
  const host = await place.start();
  const order = {
    tools: ["ops__do"],
    principal: "agent:planner",
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const grant = async (name: string) => {
    const { secret } = await host.keys.create({ name, as: `person:${name}` });
    return host.rest("POST", "/v1/standing-approvals", order, by(secret));
  };
  expect(await grant("zoe")).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  expect((await grant("bob")).status).toBe(201);
});
