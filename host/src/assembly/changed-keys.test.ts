import { parseConfig, type Config } from "@bailiwick/contract";
import { expect, test } from "vitest";
import { changedKeys } from "./changed-keys.ts";

const read = (value: object): Config => parseConfig(JSON.stringify(value), { dialect: "bailiwick" }).config!;

const boot = read({});

test("a key that needs a restart and was not there before holds from the next start on", () => {
  const after = read({ identity: "new", manifestProfile: "tolerant" });
  const { inForce, live, needRestart } = changedKeys({ boot, now: boot, after });
  expect(inForce).toEqual({ ...boot, manifestProfile: "tolerant", given: after.given });
  expect({ live, needRestart }).toEqual({ live: ["manifestProfile"], needRestart: ["identity"] });
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
