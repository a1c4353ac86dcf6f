import { beforeEach, describe, expect, it } from "vitest";
import type { Operation } from "../../kernel/call.ts";
import { entry, openBench, OWNER, provider, refusalOf, scoped, type Bench } from "./sheets-for-tests.ts";

const skill = (root: string) => {
  const uri = `${root}/SKILL.md`;
  const text = `{"uri":"${uri}","frontmatter":{"name":"s","description":"see ${root}"},"resources":[{"uri":"${uri}","size":1.0},{"uri":"${root}/x"}]}`;
  return { ...entry(text), uri };
};

let bench: Bench;
const find = (operation: Operation, name: string, more: object = {}): string => {
  const target = bench.find({ operation, name, ...more });
  return `${target.provider.name} ${target.name}`;
};

beforeEach(() => {
  bench = openBench();
  bench.registry.add(provider("a", { skills: [skill("skill://s"), skill("https://x.example/s")], directories: true }));
  bench.registry.add(provider("b", { skills: [skill("skill://s"), skill("https://x.example/s")] }));
  bench.registry.add(provider("c", {}));
});

interface Item {
  readonly uri: string;
  readonly resources: readonly { readonly uri: string }[];
  readonly _meta?: Record<string, unknown>;
}
const listed = (on: string | null, principal = OWNER): Item[] =>
  JSON.parse(bench.sheets.of(principal, on)!.skills()) as Item[];

describe("skills of upstreams", () => {
  it("are listed with their provider in each skill:// URI, and with their own on its endpoint", () => {
    expect(listed(null).map((item) => [item, ...item.resources].map(({ uri }) => uri))).toEqual(
      ["a", "b"].flatMap((name) => [
        [`skill://${name}/s/SKILL.md`, `skill://${name}/s/SKILL.md`, `skill://${name}/s/x`],
        ["https://x.example/s/SKILL.md", "https://x.example/s/SKILL.md", "https://x.example/s/x"],
      ]),
    );
    const own = skill("skill://s").json;
    expect(bench.sheets.of(OWNER, "b")!.skills()).toBe(`[${own},${skill("https://x.example/s").json}]`);
    expect(bench.sheets.of(OWNER, null)!.skills()).toContain('"description":"see skill://s"');
    expect(listed(null, scoped("b__*"))).toHaveLength(2);
    expect(listed("c")).toEqual([]);
  });

  it("are marked as taken where another provider was first", () => {
    const state = listed(null).map((item) => item._meta?.["dev.bailiwick/lifecycle"]);
    expect(state).toEqual([undefined, undefined, undefined, expect.objectContaining({ reason: "uri_taken" })]);
    expect(listed(null).map((item) => item._meta?.["dev.bailiwick/provider"])).toEqual(["a", "a", "b", "b"]);
  });

  it.each(["skill", "directory", "read"] as const)("are found by their listed URI (%s)", (operation) => {
    expect(find(operation, "skill://b/s/SKILL.md")).toBe("b skill://s/SKILL.md");
    expect(find(operation, "skill://b/s/unlisted")).toBe("b skill://s/unlisted");
    expect(find(operation, "skill://s/SKILL.md", { provider: "b" })).toBe("b skill://s/SKILL.md");
    expect(find(operation, "https://x.example/s/SKILL.md")).toBe("a https://x.example/s/SKILL.md");
    expect(find(operation, "https://x.example/s/SKILL.md", { providerHint: "b" })).toBe(
      "b https://x.example/s/SKILL.md",
    );
    expect(refusalOf(() => find(operation, "skill://s/SKILL.md")).kind).toBe("resource_not_found");
    expect(refusalOf(() => find(operation, "files://s/SKILL.md", { provider: "b" })).kind).toBe("uri_reserved");
  });

  it("are announced on a provider's endpoint only where it has them", () => {
    const has = (on: string | null) => bench.sheets.of(OWNER, on)!.has();
    expect(has("a")).toMatchObject({ skills: true, directories: true });
    expect(has("b")).toMatchObject({ skills: true, directories: false });
    expect(has("c")).toMatchObject({ skills: false, directories: false });
    expect(has(null)).toMatchObject({ skills: true, directories: true });
  });

  it("make another surface when one of them changes", () => {
    const { token } = bench.sheets.of(OWNER, "b")!;
    bench.registry.add(provider("b", { skills: [skill("skill://other")] }));
    expect(bench.sheets.of(OWNER, "b")!.token).not.toBe(token);
  });
});
