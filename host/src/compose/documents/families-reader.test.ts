import { describe, expect, it } from "vitest";
import type { SeenUri, SurfaceFacts } from "../../kernel/tool-facts.ts";
import type { ComposeResources } from "./compose-families.ts";
import { FamiliesReader } from "./families-reader.ts";

const THERE: ComposeResources = {
  contentConfigs: ["intro"],
  artifactConfigs: [],
  schemas: ["content"],
  contents: [],
  generators: ["jinja2"],
};

const factsOf = (...uris: readonly (readonly [provider: string, uri: string])[]): SurfaceFacts => {
  const seen: readonly SeenUri[] = uris.map(([provider, uri]) => ({
    provider,
    uri,
    isTemplate: false,
    mimeType: null,
    readable: true,
  }));
  return { surface: null as never, tools: [], uris: () => seen };
};

const OWN = ["config://content/", "schema://", "content://", "generator://", "capabilities://"].map(
  (uri) => ["compose", uri] as const,
);

describe("resource families", () => {
  it.each([
    ["all of compose", factsOf(...OWN), 5],
    ["capabilities:// alone", factsOf(["compose", "capabilities://server"]), 1],
    ["others too", factsOf(...OWN, ["maya", "scene://a"], ["usd", "content://b"]), 7],
  ])("are as many as the document has for one who sees %s", async (_, facts, count) => {
    const reader = new FamiliesReader(() => Promise.resolve(THERE));
    expect(reader.count(facts)).toBe(count);
    expect(await reader.read(facts)).toHaveLength(count);
  });

  it("are counted without looking at what is stored", () => {
    const reader = new FamiliesReader(() => Promise.reject(new Error("disk")));
    expect(reader.count(factsOf(...OWN))).toBe(5);
  });

  it("have examples of what is there at each read", async () => {
    let there = THERE;
    const reader = new FamiliesReader(() => Promise.resolve(there));
    const facts = factsOf(...OWN);
    const examples = async (): Promise<readonly string[] | undefined> =>
      (await reader.read(facts)).find(({ name }) => name === "config")?.examples;
    expect(await examples()).toEqual(["config://content/intro"]);
    there = { ...THERE, contentConfigs: [] };
    expect(await examples()).toEqual([]);
  });
});
