/** A yes is a person's, for one exact call, once: whoever else says it, and whatever else it is used for, on the whole host. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { payloadCommitment } from "../call/approval/payload-commitment.ts";
import { signedText } from "../call/approval/sign-grant.ts";
import { newSigner } from "../kernel/chp-statements-for-tests.ts";
import type { NewKey } from "../kernel/key.ts";
import type { Signer } from "../kernel/signing.ts";
import { makeGovernedPlace, startGoverned, type Governed } from "./governed-host-for-tests.ts";
import { makePlace, type WholeHost } from "./whole-host-for-tests.ts";

const ASK = { id: "ask", match: { tools: ["ops__do"] }, effect: "require_approval" };
const PEOPLE = {
  "person:maria": { permissions: ["approvals:decide"] },
  "person:paul": { permissions: [] },
};

type Ask = (body: object) => Promise<{ readonly status: number; readonly json: any }>;

const start = (settings: object = {}): Promise<Governed> =>
  startGoverned(makeGovernedPlace(["do"], { policy: { rules: [ASK] }, auth: { principals: PEOPLE }, ...settings }));
const keyOf = async (host: WholeHost, order: NewKey): Promise<string> => (await host.keys.create(order)).secret;
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const caller =
  (host: WholeHost, key: string): Ask =>
  (args) =>
    host.rest("POST", "/v1/tools/call", { name: "ops__do", arguments: args }, bearer(key));
const decide = async (host: WholeHost, id: string, key: string): Promise<{ status: number; json: any }> =>
  host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" }, bearer(key));
const pending = async (ask: Ask, args: object): Promise<string> => {
  const { status, json } = await ask(args);
  expect(status).toBe(202);
  return String(json.approvalId);
};

it("nobody but a person who may decide and has not asked can say yes, and each is told whom to ask", async () => {
  const { host, agent, place } = await start();
  const keys = {
    agent,
    decidingAgent: await keyOf(host, { name: "decider", permissions: ["approvals:decide"] }),
    service: await keyOf(host, { name: "svc", as: "service:svc", permissions: ["approvals:decide"] }),
    stranger: await keyOf(host, { name: "paul", as: "person:paul" }),
  };
  const id = await pending(caller(host, agent), { n: "a" });
  for (const [who, key] of Object.entries(keys)) {
    const { status, json } = await decide(host, id, key);
    expect([who, status]).toEqual([who, who === "stranger" ? expect.toSatisfy((s) => s === 403 || s === 404) : 403]);
    expect([who, json.remedy]).toEqual([who, expect.stringMatching(/\w/)]);
  }
  const maria = await keyOf(host, { name: "maria", as: "person:maria" });
  const own = await pending(caller(host, maria), { n: "hers" });
  expect((await decide(host, own, maria)).status).toBe(403);
  expect(place.effects()).toEqual([]);
  expect((await decide(host, own, host.key)).status).toBe(200);
  expect((await caller(host, maria)({ n: "hers" })).status).toBe(200);
  expect((await decide(host, id, maria)).status).toBe(200);
  expect((await caller(host, agent)({ n: "a" })).status).toBe(200);
  expect(place.effects()).toEqual(["do hers", "do a"]);
});

it("a yes is used by one call of many at once and at all doors, and not for other arguments, callers or names of it", async () => {
  const { host, agent, doors, place } = await start();
  const ask = caller(host, agent);
  const other = caller(host, await keyOf(host, { name: "other" }));
  const id = await pending(ask, { n: "a", amount: 1 });
  expect((await decide(host, id, host.key)).status).toBe(200);
  expect((await ask({ n: "b", amount: 1 })).status).toBe(202);
  expect((await ask({ n: "a", amount: 1.5 })).status).toBe(202);
  expect((await ask({ n: "a", amount: 1, more: 1 })).status).toBe(202);
  expect((await other({ n: "a", amount: 1 })).status).toBe(202);
  const named = { capability_id: "ops__do", payload: { n: "c" }, approval_ref: id };
  const { json } = await host.rest("POST", "/chp/invoke", named, bearer(agent));
  expect(json).toMatchObject({ outcome: "denied" });
  expect(place.effects()).toEqual([]);
  const shared = doors.filter(({ name }) => name !== "program");
  const said = await Promise.all([...shared, ...shared].map(({ call }) => call("ops__do", { n: "a", amount: 1 })));
  expect(said.filter(({ refused }) => refused === null)).toHaveLength(1);
  expect(place.effects()).toEqual(["do a"]);
});

it("a yes is there after a restart and used once over it, and gone when the policy is another", async () => {
  const { host, agent, place } = await start();
  const ids: string[] = [];
  for (const n of ["used", "kept", "pending"]) ids.push(await pending(caller(host, agent), { n }));
  for (const id of ids.slice(0, 2)) await decide(host, id, host.key);
  expect((await caller(host, agent)({ n: "used" })).status).toBe(200);
  await host.stop();
  const second = await place.start();
  await second.until("ops", "running");
  const states = async (at: WholeHost): Promise<string[]> =>
    Promise.all(ids.map(async (id) => String((await at.rest("GET", `/v1/approvals/${id}`)).json.state)));
  expect(await states(second)).toEqual(["consumed", "granted", "pending"]);
  expect(await pending(caller(second, agent), { n: "used" })).not.toBe(ids[0]);
  place.configure({ ...place.configured(), policy: { rules: [ASK, { ...ASK, id: "more" }] } });
  expect((await second.rest("POST", "/v1/reload", {})).status).toBe(200);
  await expect.poll(() => states(second)).toEqual(["consumed", "cancelled", "cancelled"]);
  expect(await pending(caller(second, agent), { n: "kept" })).not.toBe(ids[1]);
  const [changed, ...more] = place.evidence("policy_changed");
  expect([changed?.payload["before"] === changed?.payload["after"], more]).toEqual([false, []]);
  expect(place.effects()).toEqual(["do used"]);
});

const PINNED = fileURLToPath(new URL("../../test/fixtures/pinned-server.mjs", import.meta.url));

it("a yes for a tool as it was is none for what its server makes of it", async () => {
  const place = makePlace();
  const file = join(place.dir, "definition.json");
  const says = (description: string): void =>
    writeFileSync(file, JSON.stringify({ tools: [{ name: "do", description }] }));
  says("Adds.");
  const env = { FIXTURE_DEFINITION: file };
  const server = { type: "node", entry_point: "s.mjs", mcp_config: { command: "node", args: [PINNED], env } };
  place.configure({ bundles: [{ path: place.bundle("ops", { server }) }], policy: { rules: [ASK] } });
  const first = await place.start();
  await first.until("ops", "running");
  const agent = await keyOf(first, { name: "planner" });
  const id = await pending(caller(first, agent), {});
  await decide(first, id, first.key);
  await first.stop();
  says("Deletes.");
  const second = await place.start();
  await second.until("ops", "running");
  const ask = caller(second, agent);
  expect(await ask({})).toMatchObject({ status: 409, json: { error: "definition_changed" } });
  const { json } = await second.rest("GET", "/v1/apps/ops");
  const offered = (json.held as { offered: string }[]).map((each) => each.offered);
  const accepted = await second.rest("POST", "/v1/apps/ops/accept", { tools: ["do"], offered });
  expect([accepted.status, accepted.json]).toEqual([200, expect.anything()]);
  const again = await pending(ask, {});
  expect(again).not.toBe(id);
  await decide(second, again, second.key);
  expect((await ask({})).status).toBe(200);
});

it("a grant that came with a call counts by its public key, once, for that call; whatever else is refused and asks nobody", async () => {
  const [approver, stranger] = [newSigner(), newSigner()];
  const { host, agent, place } = await start({ approvals: { waitSeconds: 0, approverKeys: [approver.publicKey] } });
  const invoke = async (invocation_id: string, n: string, approval_ref?: unknown): Promise<any> => {
    const body = { capability_id: "ops__do", payload: { n }, invocation_id, approval_ref };
    const { status, json } = await host.rest("POST", "/chp/invoke", body, bearer(agent));
    expect(status).toBe(200);
    return json;
  };
  const first = await invoke("inv_first", "a");
  const { approval_id, digest } = first.denial.details as { approval_id: string; digest: string };
  const grant = (signer: Signer, over: object = {}): any => {
    const header = {
      kind: "approval-grant",
      approval_id,
      invocation_id: "inv_first",
      decision: "granted",
      approver: signer.keyId,
      valid_until: new Date(Date.now() + 60_000).toISOString(),
      payload_commitment: payloadCommitment({ n: "a" }),
      canonicalization: "chp-stable-v1",
      action_digest: digest,
      audience: host.info.id,
      max_attempts: 1,
      ...over,
    };
    const signature = { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(signedText(header)) };
    return { ...header, approver_identity: { host_id: signer.keyId, public_key: signer.publicKey }, signature };
  };
  const good = grant(approver);
  const borrowed = { ...grant(stranger, { approver: approver.keyId }) };
  borrowed.signature.key_id = approver.keyId;
  const renamed = { ...good, signature: { ...good.signature, key_id: stranger.keyId } };
  for (const bad of [
    grant(stranger),
    borrowed,
    renamed,
    { ...good, invocation_id: "inv_x" },
    {},
    [],
    "apr_x",
    7,
    true,
  ]) {
    expect(await invoke("inv_first", "a", bad)).toMatchObject({ outcome: "denied", started_at: null });
  }
  expect(await invoke("inv_second", "b", good)).toMatchObject({ outcome: "denied" });
  expect(place.effects()).toEqual([]);
  expect(await invoke("inv_first", "a", good)).toMatchObject({ outcome: "success" });
  expect(await invoke("inv_first", "a", good)).toMatchObject({ outcome: "success", replayed: true });
  expect(await invoke("inv_third", "a", good)).toMatchObject({ outcome: "denied" });
  expect(place.effects()).toEqual(["do a"]);
});
