import { expect, it } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import { openBench, OWNER, provider } from "./sheets-for-tests.ts";

const ANN: Principal = { ...OWNER, id: "person:ann" };
const BOB: Principal = { ...OWNER, id: "person:bob" };

it("a provider that is another one for each principal is listed and called as each one's own", () => {
  const { registry, sheets, find, listed } = openBench();
  const views = new Map([
    ["person:ann", provider("p", { tools: ['{"name":"a"}', '{"name":"b"}'] })],
    ["person:bob", provider("p", { tools: ['{"name":"a"}'], state: "refused" })],
  ]);
  registry.add({ ...provider("p", {}), of: ({ id }) => views.get(id)! });
  registry.add(provider("q", { tools: ['{"name":"c"}'] }));
  expect(listed(ANN)).toEqual(["p__a", "p__b", "q__c"]);
  expect(listed(BOB)).toEqual(["p__a", "q__c"]);
  expect(listed(ANN, "p")).toEqual(["a", "b"]);
  for (const who of [ANN, BOB]) expect(find({ name: "p__a" }, who).provider).toBe(views.get(who.id));
  expect(find({ name: "q__c" }, ANN).provider).toBe(find({ name: "q__c" }, BOB).provider);
  expect(sheets.of(ANN, null)!.token).not.toBe(sheets.of(BOB, null)!.token);
  expect(sheets.of(ANN, null)).toBe(sheets.of(ANN, null));
  const statesOf = (who: Principal): string[] => sheets.providers(who).map(({ status }) => status.state);
  expect([statesOf(ANN), statesOf(BOB)]).toEqual([
    ["running", "running"],
    ["refused", "running"],
  ]);
});
