import { expect, test } from "vitest";
import type { UpstreamDependencies } from "../generators/generator-entry.ts";
import { availabilityOf } from "./availability-of.ts";
import { preflight } from "./preflight.ts";

const generator = (more: Partial<UpstreamDependencies> = {}) => ({
  type: "mine",
  upstream_dependencies: {
    services: [],
    credentials_required: [],
    optional_services: [],
    expected_latency_ms: {},
    stability: "stable" as const,
    concurrency_safe: true,
    ...more,
  },
});
const withNames = (...names: string[]) => ({ has: (name: string) => names.includes(name) });

test("a generator that depends on nothing is not checked, and the tool's own timeout holds", () => {
  expect(preflight({ type: "mine", upstream_dependencies: null }, withNames())).toEqual({
    timeoutMs: null,
    lane: null,
  });
});

test("it may take twice what it expects of itself, ten seconds if it expects nothing, and never more than the host allows", () => {
  const timeout = (p95?: number) =>
    preflight(generator({ expected_latency_ms: p95 === undefined ? {} : { p95 } }), withNames()).timeoutMs;
  expect([timeout(), timeout(700), timeout(10_000_000)]).toEqual([10_000, 1_400, 300_000]);
});

test("one that is not safe for overlapping calls has a lane of its own", () => {
  expect(preflight(generator({ concurrency_safe: false }), withNames()).lane).toBe("mine");
  expect(preflight(generator(), withNames()).lane).toBeNull();
});

test("a missing credential is named, and what to do", () => {
  const needs = generator({ credentials_required: ["A_KEY", "B_KEY", "C_KEY"] });
  const fail = (...names: string[]): unknown => {
    try {
      return preflight(needs, withNames(...names));
    } catch (error) {
      return error;
    }
  };
  expect(fail("A_KEY", "C_KEY")).toMatchObject({
    code: "missing_credential",
    message: "Missing credential: B_KEY",
    details: { generator: "mine", credentials: ["B_KEY"], next: expect.stringContaining("Set B_KEY") },
  });
  expect(fail("C_KEY")).toMatchObject({ message: "Missing credentials: A_KEY, B_KEY" });
  expect(fail("A_KEY", "B_KEY", "C_KEY")).toEqual({ timeoutMs: 10_000, lane: null });
});

test.each([
  [["A_KEY"], [], "Set A_KEY in the environment of the host and start it again; then make the same call."],
  [
    ["A_KEY"],
    ["A_KEY"],
    "Add A_KEY to capabilities.env.compose in bailiwick.json, reload: bailiwick reload; then make the same call.",
  ],
  [
    ["A_KEY", "B_KEY"],
    ["B_KEY"],
    "Add B_KEY to capabilities.env.compose in bailiwick.json, set A_KEY in the environment of the host and start it again; then make the same call.",
  ],
  [
    ["providers.mine.apiKey"],
    [],
    "Set providers.mine.apiKey in bailiwick.json, reload: bailiwick reload; then make the same call.",
  ],
])("of %j with %j set and not granted it is told what to do", (names, ungranted, next) => {
  const lacks = (name: string) => ({ value: !ungranted.includes(name), grant: ungranted.includes(name) });
  expect(() => preflight(generator({ credentials_required: names }), { has: () => false, lacks })).toThrow(
    expect.objectContaining({ details: { generator: "mine", credentials: names, next } }),
  );
});

test("a list says of a generator what a call would", () => {
  const needs = generator({ credentials_required: ["A_KEY"] });
  expect(availabilityOf(needs, withNames())).toEqual({
    status: "unavailable",
    reason: "Missing credential: A_KEY",
    missing: ["A_KEY"],
  });
  expect(availabilityOf(needs, withNames("A_KEY"))).toEqual({ status: "available" });
});
