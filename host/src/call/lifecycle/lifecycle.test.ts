import { describe, expect, it } from "vitest";
import type { ListedTool, ProviderStatus } from "../../kernel/provider.ts";
import type { Surfaced } from "../../kernel/stages.ts";
import { lifecycle, lifecycleOf } from "./lifecycle.ts";

const call = (status: Partial<ProviderStatus>, tool: Partial<ListedTool> | null = null): Surfaced => {
  const base = { reason: "needs_auth: p wants an account.", next: "Open it.", since: 0, retryAfterMs: null };
  const provider = { name: "p", status: () => ({ ...base, ...status }) };
  return { target: { provider, flatName: "p__t", name: "t", tool, surface: "s" } } as unknown as Surfaced;
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

describe("a call of a tool that is held", () => {
  it.each(["definition_changed", "definition_new"] as const)(
    "is refused as %s with the command that frees it",
    (held) => {
      for (const state of ["running", "starting", "crashed"] as const) {
        const waiting = call({ state }, { name: "t", held });
        expect(() => lifecycle(waiting)).toThrow(
          expect.objectContaining({
            kind: held,
            next: "Look at what is new, then run: bailiwick bundle accept p t",
            details: { capability_id: "p__t", lifecycle: "suspended", reason: held },
          }),
        );
        expect(lifecycleOf(waiting.target.provider, waiting.target.tool)).toMatchObject({
          state: "suspended",
          reason: held,
        });
      }
    },
  );

  it("says first that its provider is down for good", () => {
    expect(() => lifecycle(call({ state: "stopped" }, { name: "t", held: "definition_new" }))).toThrow(
      expect.objectContaining({ kind: "unavailable", next: "Open it." }),
    );
  });

  it("has a command that a shell takes as it stands, whatever the server called it", () => {
    const { provider, tool } = call({ state: "running" }, { name: "it's; rm -rf ~", held: "definition_new" }).target;
    expect(lifecycleOf(provider, tool).next).toMatch(/accept p 'it'\\''s; rm -rf ~'$/);
  });
});
