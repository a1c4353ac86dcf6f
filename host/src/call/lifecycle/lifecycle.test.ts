import { describe, expect, it } from "vitest";
import type { ProviderStatus } from "../../kernel/provider.ts";
import type { Surfaced } from "../../kernel/stages.ts";
import { lifecycle } from "./lifecycle.ts";

const call = (status: Partial<ProviderStatus>): Surfaced => {
  const base = { reason: "needs_auth: p wants an account.", next: "Open it.", since: 0, retryAfterMs: null };
  const provider = { name: "p", status: () => ({ ...base, ...status }) };
  return { target: { provider, flatName: "p__t", name: "t", tool: null, surface: "s" } } as unknown as Surfaced;
};

describe("a call of a tool that cannot run", () => {
  it("says where to connect the account that is missing", () => {
    expect(() => lifecycle(call({ state: "refused", link: "https://host.example/x" }))).toThrow(
      expect.objectContaining({
        kind: "needs_auth",
        message: "p__t cannot run: needs_auth: p wants an account.",
        next: "Open it.",
        details: { capability_id: "p__t", link: "https://host.example/x" },
      }),
    );
  });

  it.each(["refused", "dead", "stopped"] as const)("is unavailable where that is not the reason: %s", (state) => {
    expect(() => lifecycle(call({ state }))).toThrow(
      expect.objectContaining({ kind: "unavailable", next: "Open it." }),
    );
  });

  it.each(["running", "starting", "crashed"] as const)("goes on while it may come up: %s", (state) => {
    expect(lifecycle(call({ state })).lifecycle.state).toBe(state === "running" ? "invokable" : "hosted");
  });
});
