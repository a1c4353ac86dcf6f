import { parseConfig, type Config } from "@bailiwick/contract";
import { expect, test } from "vitest";
import { changedKeys } from "./changed-keys.ts";

const read = (value: object): Config => parseConfig(JSON.stringify(value), { dialect: "bailiwick" }).config!;

const boot = read({});

test("a key that needs a restart and was not there before holds from the next start on", () => {
  const after = read({ logging: { dir: "new" }, manifestProfile: "tolerant" });
  const { inForce, live, needRestart } = changedKeys({ boot, now: boot, after });
  expect(inForce).toEqual({ ...boot, manifestProfile: "tolerant", given: after.given });
  expect({ live, needRestart }).toEqual({ live: ["manifestProfile"], needRestart: ["logging"] });
});

test("it is told at each reload until the file says again what the host was started with", () => {
  const changed = read({ http: { port: 1 } });
  const { inForce } = changedKeys({ boot, now: boot, after: changed });
  expect(changedKeys({ boot, now: inForce, after: changed })).toMatchObject({ live: [], needRestart: ["http"] });
  expect(changedKeys({ boot, now: inForce, after: boot })).toMatchObject({ live: [], needRestart: [] });
});

test("a key that holds at once and is gone from the file holds no more", () => {
  const now = read({ $schema: "x", skillDirs: ["a"] });
  const { inForce, live } = changedKeys({ boot: now, now, after: boot });
  expect(inForce).not.toHaveProperty("$schema");
  expect(inForce.skillDirs).toEqual([]);
  expect(live).toEqual(["$schema", "skillDirs"]);
});

test("what the agent is told holds from the next run on, the wait of a run apart from the other approvals", () => {
  const agent = {
    identity: "new",
    maxIterations: 3,
    maxInputTokens: 5000,
    maxOutputTokens: 100,
    maxDirectTools: 0,
    defaultModel: "local:m",
    providers: { local: { type: "openai-compatible", baseURL: "http://127.0.0.1:1" } },
    features: { delegation: false },
    agents: { helper: { description: "d", systemPrompt: "s", tools: [] } },
  };
  const after = read({ ...agent, approvals: { runWaitSeconds: 7, waitSeconds: 8 } });
  const { inForce, live, needRestart } = changedKeys({ boot, now: boot, after });
  expect(live.toSorted()).toEqual([...Object.keys(agent), "approvals.runWaitSeconds"].toSorted());
  expect(needRestart).toEqual(["approvals"]);
  expect(inForce.approvals).toEqual({ ...boot.approvals, runWaitSeconds: 7 });
  expect(inForce).toMatchObject({ identity: "new", maxIterations: 3, features: { delegation: false } });
  const only = read({ approvals: { runWaitSeconds: 7 } });
  expect(changedKeys({ boot, now: boot, after: only })).toMatchObject({
    live: ["approvals.runWaitSeconds"],
    needRestart: [],
  });
});
