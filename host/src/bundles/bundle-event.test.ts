import { expect, test } from "vitest";
import type { ProviderState } from "../kernel/provider.ts";
import { describeChange } from "./bundle-event.ts";
import { newLifecycle, type Lifecycle } from "./lifecycle.ts";

const life = (state: ProviderState, more: Partial<Lifecycle> = {}): Lifecycle => ({
  ...newLifecycle(0, "because"),
  state,
  ...more,
});

const P = { name: "p", version: null, facts: null };
const RUN = { version: "1.2.0", facts: { sandbox: "off", digest: "sha256:ab" } } as const;

test.each([
  ["running", { step: 0 }, "bundle.started", { name: "p", version: null, digest: null }],
  ["running", { step: 2 }, "bundle.recovered", { name: "p" }],
  ["crashed", { step: 2, delayMs: 1000 }, "bundle.crashed", { name: "p", restartAttempt: 2 }],
  ["dead", {}, "bundle.dead", { name: "p", message: "because" }],
  ["stopped", {}, "bundle.stopped", { name: "p" }],
  ["refused", {}, "bundle.refused", { name: "p" }],
] as const)("members hear of %s with %o as %s", (state, more, type, data) => {
  const before = life(state === "running" ? "starting" : "running");
  expect(describeChange(P, before, life(state, more))).toMatchObject({ type, data });
});

test("a start says which code runs", () => {
  const event = describeChange({ ...P, ...RUN }, life("starting"), life("running", { step: 0 }));
  expect(event?.data).toEqual({ name: "p", version: "1.2.0", digest: "sha256:ab" });
});

test("nobody hears of a start that has not ended, or of what stays as it is", () => {
  expect(describeChange(P, life("stopped"), life("starting"))).toBeNull();
  expect(describeChange(P, life("running", { step: 2 }), life("running"))).toBeNull();
});

test.each([
  ["bwrap", "p is running in the sandbox bwrap"],
  ["off", "p is running without a sandbox"],
  [null, "p is running"],
] as const)("a start says whether the process is shut in: %s", (sandbox, message) => {
  const facts = sandbox === null ? null : { sandbox, digest: null };
  const event = describeChange({ ...P, facts }, life("starting"), life("running", { step: 0 }));
  expect(event?.message).toBe(message);
});
