import { beforeEach, describe, expect, it, vi } from "vitest";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { openPlace, type Place } from "./provider-for-tests.ts";
import type { ResourceParts } from "./resource-parts.ts";

const configOf = (id: string): string => JSON.stringify(contentConfig({ id }));

let place: Place;
/** The same with a provider that has seen the letter, and looks at all again. */
let slow: Place;
let looked: Promise<void>;
/** Lets that look end: it tells of the configs that were there when it began. */
let go: () => void;
beforeEach(async () => {
  place = openPlace();
  place.save("content", "letter", configOf("letter"));
  await place.store("letter", "one");
  const { saved } = place.parts;
  const [reading, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isSlow = false;
  const list: ResourceParts["saved"]["list"] = async (type) => {
    const before = await saved.list(type);
    if (isSlow) reading.resolve();
    if (isSlow) await going.promise;
    return before;
  };
  const [find, ids] = [saved.find.bind(saved), saved.ids.bind(saved)];
  slow = openPlace({ parts: { ...place.parts, saved: { find, ids, list } } });
  await slow.provider.whenListed();
  isSlow = true;
  place.pass(10_000);
  looked = slow.provider.whenListed();
  go = going.resolve;
  await reading.promise;
});

const isListed = (uri: string): boolean => slow.provider.more.has(uri);

describe("while a look at everything goes on", () => {
  it("what was said to have come is listed, and what was read before does not take it away", async () => {
    place.save("content", "intro", configOf("intro"));
    slow.provider.changed("config://content/intro");
    await vi.waitFor(() => expect(isListed("config://content/intro")).toBe(true));
    go();
    await looked;
    expect(isListed("config://content/intro")).toBe(true);
    expect(isListed("config://content/letter")).toBe(true);
  });

  it("what was said to have gone is not listed, and does not come back", async () => {
    place.unsave("content", "letter");
    slow.provider.changed("config://content/letter");
    await vi.waitFor(() => expect(isListed("config://content/letter")).toBe(false));
    go();
    await looked;
    expect(isListed("config://content/letter")).toBe(false);
  });

  it("examples are what is there, and nobody waits for the rest", async () => {
    place.save("content", "intro", configOf("intro"));
    place.save("content", "large", " ".repeat(10_000_001));
    const there = { contentConfigs: ["intro", "letter"], artifactConfigs: [], contents: [{ id: "letter" }] };
    expect(await slow.provider.there()).toMatchObject(there);
    place.unsave("content", "intro");
    await place.versions.remove("letter", { keepMeta: false });
    expect(await slow.provider.there()).toMatchObject({ contentConfigs: ["letter"], contents: [] });
    go();
    await looked;
  });
});
