import { beforeEach, describe, expect, it } from "vitest";
import type { LifecycleState } from "../../kernel/stages.ts";
import { createLifecycleWatch, type LifecycleChange, type WatchedPage } from "./lifecycle-watch.ts";

const page = (name: string, states: Record<string, LifecycleState>, missing: readonly string[] = []): WatchedPage => ({
  provider: { name },
  tools: new Map(
    Object.entries(states).map(([tool, state]) => [
      tool,
      {
        id: `${name}__${tool}`,
        tool: { definition: `sha256:${tool}` },
        requirements: { required: missing, missing },
        lifecycle: { state, reason: state === "invokable" ? null : "Why.", next: null, retryAfterMs: null },
      },
    ]),
  ),
});

let pages: WatchedPage[];
let told: LifecycleChange[];
let change: () => void;
beforeEach(() => {
  pages = [];
  told = [];
  createLifecycleWatch(
    {
      pages: () => pages,
      onChange: (listener) => {
        change = () => listener("ws_default");
        return () => {};
      },
    },
    (each) => told.push(each),
  );
});

const show = (...shown: WatchedPage[]): readonly string[] => {
  pages = shown;
  told.length = 0;
  change();
  return told.map(({ capability, from, to, by }) => `${capability} ${from} ${to} ${by}`);
};

describe("the watch over states", () => {
  it("tells each change once, with the reason, and nothing about what is there at first", () => {
    expect(show(page("p", { a: "invokable", b: "invokable" }))).toEqual([]);
    expect(show(page("p", { a: "hosted", b: "invokable" }))).toEqual(["p__a invokable hosted provider"]);
    expect(told[0]).toMatchObject({ workspace: "ws_default", reason: "Why." });
    expect(show(page("p", { a: "hosted", b: "invokable" }))).toEqual([]);
  });

  it("tells what configuration did as such", () => {
    show(page("p", { a: "invokable" }));
    expect(show(page("p", { a: "disabled" }))).toEqual(["p__a invokable disabled policy"]);
    expect(show(page("p", { a: "invokable" }))).toEqual(["p__a disabled invokable policy"]);
  });

  it("tells what the host declares otherwise as such, and what a provider says otherwise as the provider's", () => {
    show(page("p", { a: "invokable" }));
    expect(show(page("p", { a: "discoverable" }, ["usd"]))).toEqual(["p__a invokable discoverable policy"]);
    expect(show(page("p", { a: "hosted" }, ["usd"]))).toEqual(["p__a discoverable hosted provider"]);
  });

  it("tells of tools that come and go, and of a provider that is removed", () => {
    const first = page("p", { a: "invokable" });
    show(first, page("q", { x: "invokable" }));
    expect(show(page("p", { b: "invokable" }))).toEqual([
      "p__a invokable unknown provider",
      "p__b unknown invokable provider",
      "q__x invokable unknown provider",
    ]);
  });

  it("says nothing when a provider lists for the first time", () => {
    show(page("p", {}));
    expect(show(page("p", { a: "invokable" }))).toEqual([]);
  });

  it("tells what happens to thousands at once as one change", () => {
    const many = (state: LifecycleState) =>
      page("p", Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`t${i}`, state])));
    show(many("invokable"));
    expect(show(many("hosted"))).toEqual(["p__* invokable hosted provider"]);
    expect(told[0]).toMatchObject({ count: 5_000 });
  });

  it("looks at nothing of a page that is the same", () => {
    const untouched = { provider: { name: "q" }, tools: new Map() };
    show(page("p", { a: "invokable" }), untouched);
    Object.defineProperty(untouched, "tools", {
      get: () => {
        throw new Error("was looked at");
      },
    });
    expect(show(page("p", { a: "hosted" }), untouched)).toHaveLength(1);
  });
});
