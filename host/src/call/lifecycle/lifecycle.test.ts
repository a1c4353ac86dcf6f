import { describe, expect, it } from "vitest";
import type { ListedTool, ProviderStatus } from "../../kernel/provider.ts";
import type { Surfaced } from "../../kernel/stages.ts";
import { NO_ENVELOPE, type CallMode } from "../../kernel/envelope.ts";
import { deprecatedMember } from "./deprecated-member.ts";
import { lifecycle } from "./lifecycle.ts";
import { lifecycleOf, strongest } from "./lifecycle-of.ts";

const PLAIN = { id: "p__t", status: "experimental", sunset: null, disabled: null, modes: ["sync"] };

const call = (
  status: Partial<ProviderStatus>,
  tool: Partial<ListedTool> | null = null,
  { mode, ...said }: { mode?: CallMode; [key: string]: unknown } = {},
): Surfaced => {
  const base = { reason: "needs_auth: p wants an account.", next: "Open it.", since: 0, retryAfterMs: null };
  const provider = { name: "p", status: () => ({ ...base, ...status }) };
  const capability = { ...PLAIN, ...said };
  const envelope = mode === undefined ? null : { ...NO_ENVELOPE, mode };
  return {
    envelope,
    target: { provider, flatName: "p__t", name: "t", tool, surface: "s", capability },
  } as unknown as Surfaced;
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

describe("a call of a tool that is barred", () => {
  const next = "Do it.";
  it.each(["disabled", "unavailable"] as const)("is refused as %s, whatever its provider does", (state) => {
    for (const of of ["running", "starting", "crashed", "dead", "refused"] as const) {
      const barred = call({ state: of }, { name: "t", barred: { state, reason: "why", next }, held: "definition_new" });
      expect(() => lifecycle(barred)).toThrow(
        expect.objectContaining({
          kind: state,
          message: "p__t cannot run: why",
          next,
          details: { capability_id: "p__t", lifecycle: state, reason: "why" },
        }),
      );
      expect(lifecycleOf(barred.target.provider, barred.target.tool)).toMatchObject({ state, reason: "why", next });
    }
  });

  it("is disabled by configuration first", () => {
    const barred = { state: "unavailable", reason: "why", next } as const;
    expect(() => lifecycle(call({ state: "running" }, { name: "t", barred }, { disabled: "Off." }))).toThrow(
      expect.objectContaining({ kind: "disabled", message: "p__t cannot run: Off." }),
    );
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

  it("says the command of its provider, where that has one of its own", () => {
    const waiting = call({ state: "running" }, { name: "t", held: "definition_changed" });
    Object.assign(waiting.target.provider, { acceptWith: "bailiwick skill accept p" });
    expect(() => lifecycle(waiting)).toThrow(
      expect.objectContaining({ next: "Look at what is new, then run: bailiwick skill accept p" }),
    );
  });

  it("has a command that a shell takes as it stands, whatever the server called it", () => {
    const { provider, tool } = call({ state: "running" }, { name: "it's; rm -rf ~", held: "definition_new" }).target;
    expect(lifecycleOf(provider, tool).next).toMatch(/accept p 'it'\\''s; rm -rf ~'$/);
  });

  it.each(["--yes", "-y", "a\u202Eb", ""])(
    "is not named in the command where it would be read otherwise: %j",
    (name) => {
      const { provider, tool } = call({ state: "running" }, { name, held: "definition_new" }).target;
      expect(lifecycleOf(provider, tool).next).toMatch(/run: bailiwick bundle accept p$/);
    },
  );
});

describe("a tool that configuration speaks about", () => {
  const DAY = 86_400_000;

  it("that is disabled is skipped for good, with the reason", () => {
    expect(() => lifecycle(call({ state: "running" }, null, { disabled: "Broken since May." }))).toThrow(
      expect.objectContaining({
        kind: "disabled",
        retryable: false,
        message: "p__t cannot run: Broken since May.",
        details: { capability_id: "p__t", lifecycle: "disabled", reason: "Broken since May." },
      }),
    );
  });

  it("that is deprecated runs, and its result says so", () => {
    const live = lifecycle(
      call({ state: "running" }, null, { id: "old", status: "deprecated", sunset: Date.now() + DAY }),
    );
    expect(live.lifecycle).toMatchObject({ state: "deprecated", reason: expect.stringContaining("withdrawn on") });
    expect(JSON.parse(`{${deprecatedMember(live)}}`)).toMatchObject({
      "dev.bailiwick/deprecated": { capability: "old", sunset: expect.stringMatching(/Z$/) },
    });
    expect(deprecatedMember(lifecycle(call({ state: "running" })))).toBe("");
  });

  it("is as disabled after its sunset", () => {
    const gone = call({ state: "running" }, null, { status: "deprecated", sunset: Date.now() - DAY });
    expect(() => lifecycle(gone)).toThrow(expect.objectContaining({ kind: "disabled", retryable: false }));
  });
});

describe("of several states the strongest is shown", () => {
  const HELD = { name: "t", held: "definition_changed" } as const;

  it.each([
    ["disabled", { state: "stopped" }, HELD, { disabled: "No.", status: "deprecated" }],
    ["unavailable", { state: "dead" }, HELD, { status: "deprecated" }],
    ["suspended", { state: "crashed" }, HELD, { status: "deprecated" }],
    ["hosted", { state: "starting" }, null, { status: "deprecated" }],
    ["discoverable", { state: "refused", link: "https://x" }, null, { status: "deprecated" }],
    ["deprecated", { state: "running" }, null, { status: "deprecated" }],
    ["invokable", { state: "running" }, null, {}],
  ] as const)("%s", (state, status, tool, said) => {
    const { target } = call(status, tool, said);
    expect(lifecycleOf(target.provider, target.tool, target.capability).state).toBe(state);
  });

  it("whichever is asked first", () => {
    const of = (state: string) => ({ state, reason: null, next: null, retryAfterMs: null }) as never;
    const order = [
      "disabled",
      "unavailable",
      "suspended",
      "declared",
      "hosted",
      "discoverable",
      "deprecated",
      "invokable",
    ];
    for (const [at, stronger] of order.entries())
      for (const weaker of order.slice(at)) {
        expect(strongest(of(stronger), of(weaker)).state).toBe(stronger);
        expect(strongest(of(weaker), of(stronger)).state).toBe(stronger);
      }
  });
});

describe("the mode of a call", () => {
  it("must be one that the tool has", () => {
    expect(() => lifecycle(call({ state: "running" }, null, { mode: "stream" }))).toThrow(
      expect.objectContaining({
        kind: "unsupported_mode",
        details: { capability_id: "p__t", requested: "stream", modes: ["sync"] },
      }),
    );
    const streams = call({ state: "running" }, null, { mode: "stream", modes: ["sync", "stream"] });
    expect(lifecycle(streams).lifecycle.state).toBe("invokable");
    expect(() => lifecycle(call({ state: "running" }, null, { mode: "fire_and_forget" }))).toThrow("mode");
  });

  it("is asked after the state", () => {
    const off = call({ state: "running" }, null, { mode: "stream", disabled: "Off." });
    expect(() => lifecycle(off)).toThrow(expect.objectContaining({ kind: "disabled" }));
  });
});
