import { describe, expect, it } from "vitest";
import { NOBODY, type Ask, type Asker } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { NO_ROOTS } from "../../kernel/roots-for-tests.ts";
import type { Opened } from "../../kernel/stages.ts";
import { GovernedAsker } from "./governed-asker.ts";

const PAGE: Ask = { method: "elicitation/create", params: rawJson('{"mode":"url"}'), key: null };
const tell = (): void => {};

const completionOf = (declared: object, more: Partial<Asker>): unknown => {
  const asker: Asker = {
    ...NOBODY,
    declared: { json: rawJson(JSON.stringify(declared)), value: { ...declared } },
    ...more,
  };
  const call = { asker, presented: { kind: "none" } } as Opened;
  return new GovernedAsker(call, {
    recordRound: () => Promise.resolve(),
    recheck: () => {},
    rootsOf: NO_ROOTS,
  }).completion(PAGE);
};

describe("that a person is done with a page", () => {
  it("reaches a caller that declared that it opens pages, and no other", () => {
    const hears = { completion: () => tell };
    expect(completionOf({ elicitation: { url: {} } }, hears)).toBe(tell);
    expect(completionOf({ elicitation: {} }, hears)).toBeNull();
    expect(completionOf({}, hears)).toBeNull();
    expect(completionOf({ elicitation: { url: {} } }, {})).toBeNull();
  });
});
