import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HeldDefinition } from "../../kernel/bundle-admin.ts";
import type { BundleEvent } from "../bundle-event.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { chooseHeld } from "./choose-held.ts";
import { listedCatalogue, listedTool } from "./definitions-for-tests.ts";
import { PinnedCatalogue } from "./pinned-catalogue.ts";
import { Pins, type PinsOptions } from "./pins.ts";

interface Opened {
  readonly pins: Pins;
  readonly pinned: PinnedCatalogue;
  readonly events: BundleEvent[];
  readonly types: () => string[];
}

const open = async (file: string, more: Partial<PinsOptions> = {}): Promise<Opened> => {
  const events: BundleEvent[] = [];
  const log = (event: BundleEvent): unknown => events.push(event);
  const pins = new Pins({ name: "p", file, source: "path:/p", mode: "hold", origin: null, log, ...more });
  onTestFinished(() => pins.settled());
  await pins.read();
  return { pins, pinned: new PinnedCatalogue(pins), events, types: () => events.map(({ type }) => type) };
};

const LISTING = { catalogue: listedCatalogue(["a", "b"], "be kind"), version: "1" };
const OTHER = { catalogue: listedCatalogue([listedTool("a", { description: "EVIL" }), "b"], "EVIL too"), version: "1" };
const choose = ({ pinned: { held } }: Opened, tools: readonly string[] | null): readonly HeldDefinition[] =>
  chooseHeld("p", held, { tools, offered: held.map(({ offered }) => offered) });
const heldNames = ({ pinned }: Opened): unknown[] => pinned.held.map(({ tool }) => tool);

/** A file in which `LISTING` is accepted. */
const accepted = async (): Promise<string> => {
  const file = join(makeWorkDir(), "pins", "p.json");
  const first = await open(file, { origin: "https://x.example" });
  first.pinned.list(LISTING);
  await first.pins.settled();
  expect(first.types()).toEqual(["bundle.definitions_accepted"]);
  expect(first.events[0]?.data).toMatchObject({ because: "first_seen", version: "1", origin: "https://x.example" });
  return file;
};

describe("what was accepted", () => {
  test("is kept over a boot, for its owner only, and raises nothing when all is as it was", async () => {
    const file = await accepted();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await open(file);
    second.pinned.list(LISTING);
    expect(second.pinned.shown).toBe(LISTING.catalogue);
    expect(second.types()).toEqual([]);
  });

  test("of another source is not used", async () => {
    const file = await accepted();
    const other = await open(file, { source: "path:/q" });
    other.pinned.list(OTHER);
    expect(other.pinned.held).toEqual([]);
    expect(other.events[0]?.data).toMatchObject({ because: "first_seen" });
  });

  test("grows by a person's yes, with both hashes told, and that is kept too", async () => {
    const file = await accepted();
    const second = await open(file);
    second.pinned.list(OTHER);
    expect(heldNames(second)).toEqual(["a", null]);
    expect(() => choose(second, ["a", "b"])).toThrow(
      expect.objectContaining({ kind: "not_found", message: 'Nothing of p is held under the name "b".' }),
    );
    second.pinned.accept(choose(second, ["a"]));
    expect(heldNames(second)).toEqual([null]);
    expect(second.pinned.shown).toMatchObject({
      instructions: "be kind",
      tools: [{ value: { description: "EVIL" } }, {}],
    });
    second.pinned.accept(choose(second, null));
    expect(second.pinned.shown).toBe(OTHER.catalogue);
    expect(second.events.map(({ data }) => data)).toMatchObject([
      { held: true, tools: [{ tool: "a" }, { tool: null }] },
      {
        because: "person",
        tools: [
          {
            tool: "a",
            accepted: LISTING.catalogue.tools[0]?.definition,
            offered: OTHER.catalogue.tools[0]?.definition,
          },
        ],
      },
      { because: "person", tools: [{ tool: null }] },
    ]);
    await second.pins.settled();
    const third = await open(file);
    third.pinned.list(OTHER);
    expect(third.pinned.held).toEqual([]);
  });

  test("by way of one connection counts for the others", async () => {
    const one = await open(await accepted());
    const other = new PinnedCatalogue(one.pins);
    one.pinned.list(OTHER);
    other.list({ ...OTHER, version: "2" });
    one.pinned.accept(one.pinned.held);
    expect(other.held).toHaveLength(2);
    other.review();
    expect(other.held).toEqual([]);
  });

  test("is replaced when somebody upgrades, which what the host remembers does not use up", async () => {
    const second = await open(await accepted());
    second.pins.cameFrom("sha256:new");
    second.pins.expectNewSet();
    second.pinned.recall(LISTING);
    second.pinned.list(OTHER);
    expect(second.pinned.shown).toBe(OTHER.catalogue);
    expect(second.events.map(({ data }) => data)).toMatchObject([
      {
        because: "upgrade",
        origin: "sha256:new",
        tools: [{ accepted: LISTING.catalogue.tools[0]?.definition }, {}, {}],
      },
    ]);
    second.pinned.list(LISTING);
    expect(heldNames(second)).toEqual(["a", null]);
  });

  test("is nothing any more when it is forgotten", async () => {
    const file = await accepted();
    const second = await open(file);
    await second.pins.forget();
    await second.pins.forget();
    expect(existsSync(file)).toBe(false);
  });
});

describe("events", () => {
  test("tell of a held tool once, however often it changes, and never its text", async () => {
    const second = await open(await accepted());
    for (let i = 0; i < 50; i++) {
      const tools = [listedTool("a", { description: `EVIL ${i}` }), "b", ...(i > 25 ? [`new-${i}`] : [])];
      second.pinned.list({ catalogue: listedCatalogue(tools, `EVIL ${i}`), version: "1" });
    }
    expect(second.events.filter(({ data }) => JSON.stringify(data).includes('"tool":"a"'))).toHaveLength(1);
    expect(JSON.stringify(second.events)).not.toContain("EVIL");
  });

  test("list a hundred of ten thousand tools, and say how many there are", async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `tool-${i}`);
    const first = await open(join(makeWorkDir(), "p.json"));
    first.pinned.list({ catalogue: listedCatalogue(names), version: null });
    const [event] = first.events;
    expect(event?.data).toMatchObject({ count: 10_000 });
    expect(event?.data["tools"]).toHaveLength(100);
    expect(event?.message.length).toBeLessThan(1_000);
  });
});

describe("a file of pins that is damaged", () => {
  const DAMAGES: [string, (text: string) => string][] = [
    ["cut off", (text) => text.slice(0, -20)],
    ["empty", () => ""],
    ["of another format", (text) => text.replace('"format":1', '"format":2')],
    ["with another description", (text) => text.replace("the tool a", "the evil a")],
    ["with other instructions", (text) => text.replace("be kind", "be evil")],
    ["with a row that is none", (text) => text.replace(/"tools":\[\[/, '"tools":[null,[')],
  ];

  test.each(DAMAGES)("%s: everything is held until a person accepts it", async (_, damage) => {
    const file = await accepted();
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    const second = await open(file);
    expect(second.types()).toEqual(["bundle.definitions_unreadable"]);
    second.pinned.list({ ...LISTING, version: "2" });
    expect(heldNames(second)).toEqual(["a", "b", null]);
    expect(second.pinned.shown.instructions).toBeNull();
    expect(JSON.stringify(second.pinned.shown)).not.toContain("the tool");
    expect(second.pins.defect).toContain("bailiwick bundle accept p");
    second.pinned.accept(choose(second, ["a"]));
    await second.pins.settled();
    const third = await open(file);
    third.pinned.list({ ...LISTING, version: "3" });
    expect(heldNames(third)).toEqual(["b", null]);
    third.pinned.accept(third.pinned.held);
    expect(third.pins.defect).toBeNull();
    third.pinned.list({ catalogue: listedCatalogue(["a", "b", "c"], "be kind"), version: "4" });
    expect(third.pinned.held).toEqual([]);
  });

  test("is left as it is while nobody accepts anything, and does not matter under warn and off", async () => {
    const file = await accepted();
    writeFileSync(file, "{broken");
    const second = await open(file);
    second.pinned.list(LISTING);
    await second.pins.settled();
    expect(readFileSync(file, "utf8")).toBe("{broken");
    const off = await open(file, { mode: "off" });
    off.pinned.list(OTHER);
    expect([off.pinned.shown, off.types()]).toEqual([OTHER.catalogue, []]);
    const warn = await open(file, { mode: "warn" });
    warn.pinned.list(OTHER);
    expect(warn.pinned.shown).toBe(OTHER.catalogue);
    expect(warn.types()).toEqual(["bundle.definitions_unreadable", "bundle.definitions_accepted"]);
  });

  test("cannot be opened: everything is held", async () => {
    const file = join(makeWorkDir(), "p.json");
    mkdirSync(file);
    const pins = await open(file);
    pins.pinned.list(LISTING);
    expect(pins.pinned.held).toHaveLength(3);
  });
});

test("nothing is accepted before the file was looked at", () => {
  const pins = new Pins({ name: "p", file: "/nowhere", source: "s", mode: "hold", origin: null, log: () => {} });
  const pinned = new PinnedCatalogue(pins);
  pinned.list(LISTING);
  expect(pinned.held).toHaveLength(3);
});

test("pins that cannot be written say so, and hold for as long as the host runs", async () => {
  const dir = makeWorkDir();
  mkdirSync(join(dir, "p.json.new"));
  const first = await open(join(dir, "p.json"));
  first.pinned.list(LISTING);
  await first.pins.settled();
  expect(first.types()).toEqual(["bundle.definitions_accepted", "bundle.definitions_unsaved"]);
  first.pinned.list(OTHER);
  expect(first.pinned.held).toHaveLength(2);
  await first.pins.settled();
});
