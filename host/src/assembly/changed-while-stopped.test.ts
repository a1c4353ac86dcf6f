/** What somebody changed while the host was stopped is recorded at its next start, once, and binds what was waiting. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { makeGatedPlace, startGated } from "./gated-host-for-tests.ts";
import { makeGovernedPlace, type GovernedPlace } from "./governed-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const PATIENT = { timeout: 20_000, interval: 50 };
const VERSION = expect.stringMatching(/^sha256:/);
const ASK = { id: "ask", match: { tools: ["ops__do"] }, effect: "require_approval" };
const OTHER = { ...ASK, id: "other", approval: { count: 2, four_eyes: true } };

const changes = (place: GovernedPlace) => place.evidence("policy_changed").map(({ payload }) => payload);
const startOps = async (place: GovernedPlace): Promise<WholeHost> => {
  const host = await place.start();
  await host.until("ops", "running");
  return host;
};

it("a policy: recorded with both versions, what waited is cancelled, and an unchanged one is no news", async () => {
  const place = makeGovernedPlace(["do"], { policy: { rules: [ASK] } });
  const first = await startOps(place);
  const { secret } = await first.keys.create({ name: "planner" });
  const by = { authorization: `Bearer ${secret}` };
  const asked = await first.rest("POST", "/v1/tools/call", { name: "ops__do", arguments: { n: "a" } }, by);
  expect(asked.status).toBe(202);
  await first.stop();

  await (await startOps(place)).stop();
  expect(changes(place)).toEqual([]);

  place.configure({ ...place.configured(), policy: { rules: [OTHER] } });
  const third = await startOps(place);
  await vi.waitFor(async () => {
    const { json } = await third.rest("GET", `/v1/approvals/${asked.json.approvalId}`);
    expect(json.state).toBe("cancelled");
  }, PATIENT);
  const told = { workspace: "ws_default", before: VERSION, after: VERSION, by: "configuration", while_stopped: true };
  expect(changes(place)).toEqual([told]);
  expect(changes(place)[0]?.["before"]).not.toBe(changes(place)[0]?.["after"]);
  await third.stop();

  await (await startOps(place)).stop();
  expect(changes(place)).toHaveLength(1);
});

it("a policy that changed while the host ran is not told of again at the next start", async () => {
  const place = makeGovernedPlace(["do"], { policy: { rules: [ASK] } });
  const first = await startOps(place);
  place.configure({ ...place.configured(), policy: { rules: [OTHER] } });
  await vi.waitFor(() => expect(changes(place)).toHaveLength(1), PATIENT);
  await first.stop();
  await (await startOps(place)).stop();
  expect(changes(place)).toHaveLength(1);
});

it("a workspace's own policy, which nobody has used yet since", async () => {
  const place = makeGovernedPlace(["do"], {});
  const put = (policy: object): void => {
    const file = join(place.workDir, "workspaces", "ws_lab", "workspace.json");
    mkdirSync(dirname(file), { recursive: true });
    const { bundles } = place.configured();
    writeFileSync(file, JSON.stringify({ members: ["agent:bot"], bundles, noDefaultBundles: true, policy }));
  };
  put({ rules: [ASK] });
  const first = await startOps(place);
  const { secret } = await first.keys.create({ name: "bot", as: "agent:bot", workspace: "ws_lab" });
  const by = { authorization: `Bearer ${secret}` };
  const asked = await vi.waitFor(async () => {
    const said = await first.rest("POST", "/v1/tools/call", { name: "ops__do", arguments: { n: "a" } }, by);
    expect(said.status).toBe(202);
    return said;
  }, PATIENT);
  await first.stop();

  put({ rules: [OTHER] });
  const second = await startOps(place);
  await vi.waitFor(() => expect(changes(place)).toHaveLength(1), PATIENT);
  const told = { workspace: "ws_lab", before: VERSION, after: VERSION, by: "configuration", while_stopped: true };
  expect(changes(place)).toEqual([told]);
  await vi.waitFor(async () => {
    const { json } = await second.rest("GET", `/v1/approvals/${asked.json.approvalId}`, undefined, by);
    expect(json.state).toBe("cancelled");
  }, PATIENT);
});

it("declared capabilities: recorded with both lists and whatever else of them changed", async () => {
  const place = makeGatedPlace();
  await (await startGated(place)).stop();
  await (await startGated(place)).stop();
  expect(place.changes()).toEqual([]);
  place.settle({ capabilities: { declared: ["usd"], require: { maya__free: ["gpu"] } } });
  await (await startGated(place)).stop();
  await (await startGated(place)).stop();
  expect(place.changes()).toEqual([
    {
      before: ["usd", "scene.read", "scene.mutate", "filesystem.read"],
      after: ["usd"],
      require: { before: {}, after: { maya__free: ["gpu"] } },
      by: "configuration",
      while_stopped: true,
    },
  ]);
});
