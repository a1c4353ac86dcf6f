/** Rules that ask where a path lies, over the wire of a whole host. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectHttp, rootOf, startRooted } from "./roots-place-for-tests.ts";

const under = (value?: string) => [{ path: "/path", op: "under", ...(value === undefined ? {} : { value }) }];
const rule = (id: string, effect: string, value?: string) => ({
  id,
  match: { tools: ["ops__open"], arguments: under(value) },
  effect,
});
const RULES = {
  policy: {
    rules: [rule("no-renders", "deny", "renders"), rule("ask-assets", "require_approval", "workspace://@hero/assets")],
    guardrails: [{ id: "drafts", tools: ["ops__open"], deny_if: under("workspace://@hero/drafts") }],
  },
};

describe("a rule about paths under a folder", () => {
  it("decides alike at every door, however the path is written", async () => {
    const { doors, place } = await startRooted({ settings: RULES });
    symlinkSync(place.renders, join(place.hero, "out"));
    const cases: readonly (readonly [string, string | null])[] = [
      ["workspace://@renders/a", "policy_denied"],
      [`${place.renders}/a`, "policy_denied"],
      [`file://${place.renders.replace(" ", "%20")}/a`, "policy_denied"],
      ["workspace://out/a", "path_outside_roots"],
      ["workspace://assets/a", "approval_pending"],
      ["drafts/../assets/a", "approval_pending"],
      ["WORKSPACE:///%61ssets/a", "approval_pending"],
      ["drafts/a", "guardrail_blocked"],
      ["workspace://assets2/a", null],
      ["workspace://a", null],
    ];
    for (const { name, call } of doors) {
      for (const [path, kind] of cases)
        expect([name, path, (await call("ops__open", { path })).refused]).toEqual([name, path, kind]);
    }
    expect(place.lines()).toHaveLength(doors.length * 2);
  });

  it("denies where nobody can say where a path lies", async () => {
    const { doors, place } = await startRooted({ settings: { policy: { rules: [rule("no", "deny", "renders")] } } });
    for (const path of ["workspace://a%2Fb", "workspace://@nobody/a", ""])
      for (const { call } of doors) expect((await call("ops__open", { path })).refused).toBe("policy_denied");
    expect(place.lines()).toEqual([]);
  });

  it("means the operator's folders, whatever the client that calls names its own", async () => {
    const rooted = await startRooted({ settings: { policy: { rules: [rule("no", "deny", "renders")] } } });
    const { hero, renders } = rooted.place;
    const sdk = await connectHttp(rooted, rootOf(join(hero, "assets"), "renders"), rootOf(renders, "mine"));
    const kindOf = async (path: string): Promise<unknown> =>
      (await sdk.call("ops__open", { path }))._meta?.["dev.bailiwick/refusal"]?.kind ?? null;
    for (const path of ["workspace://@mine/a", join(renders, "a")])
      expect([path, await kindOf(path)]).toEqual([path, "policy_denied"]);
    for (const path of ["workspace://@renders/a", "workspace://a", "a"])
      expect([path, await kindOf(path)]).toEqual([path, null]);
    sdk.listed = [rootOf(renders)];
    await sdk.client.sendRootsListChanged();
    expect(await kindOf("workspace://a")).toBe("policy_denied");
    expect(rooted.place.lines()).toHaveLength(3);
  });

  it("holds for an absolute path that passes although it lies in no root of the client", async () => {
    const list = [
      { name: "hero", path: "projects/hero" },
      { name: "renders", path: "projects/My Renders" },
    ];
    const roots = { list, profile: "permissive" };
    const rooted = await startRooted({ roots, settings: { policy: { rules: [rule("no", "deny", "renders")] } } });
    const sdk = await connectHttp(rooted, rootOf(rooted.place.hero));
    const said = await sdk.call("ops__open", { path: join(rooted.place.renders, "a") });
    expect(said._meta["dev.bailiwick/refusal"].kind).toBe("policy_denied");
    expect(rooted.place.lines()).toEqual([]);
  });
});
