import { expect, it } from "vitest";
import { covers } from "./covers.ts";
import { isInScope, mayName } from "./may-name.ts";

it.each<[granted: string[], needed: string, covered: boolean]>([
  [["a:b"], "a:b", true],
  [["a:*"], "a:b", true],
  [["a:*"], "a:b:c", true],
  [["a:b:*"], "a:b:c", true],
  [["*"], "a:b", true],
  [["x", "a:*"], "a:b", true],
  [[], "a:b", false],
  [["a"], "a:b", false],
  [["a:b"], "a", false],
  [["a:*"], "a", false],
  [["a:*"], "ab:c", false],
  [["a*"], "a:b", false],
  [["a:b*"], "a:bc", false],
  [["a:b"], "a:*", false],
  [[":*"], "a:b", false],
  [[""], "a:b", false],
])("%j and %s: %s", (granted, needed, covered) => expect(covers(granted, needed)).toBe(covered));

it.each<[scopes: string[] | null, flat: string, id: string | undefined, allowed: boolean]>([
  [null, "p__t", undefined, true],
  [["p__*"], "p__t", undefined, true],
  [["p__t"], "p__t", "outward", true],
  [["outward"], "p__t", "outward", true],
  [["out*"], "p__t", "outward", true],
  [["outward"], "p__t", undefined, false],
  [["outward"], "outward__t", "p__t", false],
  [["other.echo"], "p__t", "p.echo", false],
  [[], "p__t", "outward", false],
  [[""], "p__t", "", false],
])("a key with scopes %j may name %s, outward %s: %s", (scopes, flat, id, allowed) => {
  expect(isInScope(scopes, flat, id)).toBe(allowed);
});

it("a key may name something of a provider by its name alone", () => {
  expect(["p__*", "p__one", "*"].map((scope) => mayName([scope], "p"))).toEqual([true, true, true]);
  expect(["q__*", "p", ""].map((scope) => mayName([scope], "p"))).toEqual([false, false, false]);
});
