import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Acceptance } from "../../kernel/bundle-admin.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { DefinitionsFile } from "../definitions-file.ts";
import { listedCatalogue, listedTool } from "./definitions-for-tests.ts";
import { LearnedCatalogue } from "./learned-catalogue.ts";
import { PinnedCatalogue } from "./pinned-catalogue.ts";
import { Pins } from "./pins.ts";

const listing = (...tools: Parameters<typeof listedCatalogue>[0]) => ({
  catalogue: listedCatalogue(tools),
  version: "1",
});
const evil = (text: string) => listedTool("a", { description: text });

const open = (dir: string) => {
  const source = "url:https://x.example";
  const options = { name: "p", source, mode: "hold", origin: null, log: () => {} } as const;
  const pins = new Pins({ ...options, file: join(dir, "pins.json") });
  const definitions = new DefinitionsFile({ file: join(dir, "definitions.json"), source });
  onTestFinished(async () => {
    await pins.settled();
    await definitions.settled();
  });
  const connections = [new PinnedCatalogue(pins), new PinnedCatalogue(pins)] as const;
  const learned = new LearnedCatalogue({ name: "p", pins, definitions, all: () => connections });
  return { learned, connections, definitions };
};

/** After a look at all that is held. */
const yesTo = (learned: LearnedCatalogue, tools: readonly string[] | null = null): Acceptance => ({
  tools,
  offered: learned.held().map(({ offered }) => offered),
});

describe("an entry with a connection for each principal", () => {
  test("has what any of them lists held once, and a yes frees it for all that list it so", async () => {
    const { learned, connections } = open(makeWorkDir());
    const [ann, bob] = connections;
    await learned.recall();
    ann.list(listing("a", "b"));
    learned.learn(ann);
    bob.list(listing(evil("EVIL"), "b", "c"));
    ann.list(listing(evil("EVIL"), "b"));
    learned.learn(ann);
    expect(learned.held().map(({ tool }) => tool)).toEqual(["a", "c"]);
    expect(JSON.stringify(learned.catalogue)).not.toContain("EVIL");
    expect(learned.accept(yesTo(learned, ["a"]))).toMatchObject([{ tool: "a", after: { description: "EVIL" } }]);
    expect([ann.held.length, bob.held.length]).toEqual([0, 1]);
    expect(JSON.stringify(learned.catalogue)).toContain("EVIL");
    learned.accept(yesTo(learned));
    expect(learned.held()).toEqual([]);
  });

  test("has one of two different offers accepted by one yes; the other stays held", async () => {
    const { learned, connections } = open(makeWorkDir());
    const [ann, bob] = connections;
    await learned.recall();
    ann.list(listing("a"));
    ann.list(listing(evil("first")));
    bob.list(listing(evil("second")));
    expect(learned.accept(yesTo(learned, ["a"]))).toMatchObject([{ after: { description: "first" } }]);
    expect(ann.held).toEqual([]);
    expect(bob.held).toMatchObject([{ before: { description: "first" }, after: { description: "second" } }]);
  });

  test("shows after a boot what was accepted, and can be told yes before anybody connects", async () => {
    const dir = makeWorkDir();
    const first = open(dir);
    await first.learned.recall();
    first.connections[0].list(listing("a"));
    await first.definitions.save(listing(evil("EVIL")));
    await first.learned.settled();
    const { learned } = open(dir);
    expect(await learned.recall()).toBe("1");
    expect(learned.catalogue.tools).toMatchObject([
      { held: "definition_changed", value: { description: "the tool a" } },
    ]);
    learned.accept(yesTo(learned));
    expect(learned.catalogue.tools).toMatchObject([{ value: { description: "EVIL" } }]);
    await learned.forget();
    const third = open(dir);
    expect(await third.learned.recall()).toBeNull();
  });
});
