/** What those may give who manage keys and are not the owner. */
import { expect, it } from "vitest";
import { makePlace } from "./whole-host-for-tests.ts";

const MANAGER = { permissions: ["keys:manage", "service:*"] };

const open = async () => {
  const place = makePlace();
  const none = { roles: [], permissions: [] };
  place.configure({
    auth: {
      principals: {
        "agent:boss": { ...none, roles: ["manager"] },
        "agent:auditor": { ...none, permissions: ["evidence:read"] },
        "agent:dispatcher": { ...none, permissions: ["service:dispatch"] },
        "agent:reader": { ...none, clearance: "restricted" },
        "person:careful": { ...none, max_risk_tier: "medium" },
        "agent:cautious": { ...none, max_risk_tier: "low" },
      },
    },
  });
  const host = await place.start();
  const keyOf = async (
    name: string,
    more: object,
  ): Promise<(order: object) => Promise<{ status: number; json: any }>> => {
    const { secret } = await host.keys.create({ name, ...MANAGER, ...more });
    const authorization = `Bearer ${secret}`;
    return (order) => host.rest("POST", "/v1/keys", { name: `${name}-${counter++}`, ...order }, { authorization });
  };
  let counter = 0;
  return { place, host, keyOf };
};

it("is no more than they have, and of nobody else", async () => {
  const { place, host, keyOf } = await open();
  const maria = await keyOf("maria", { as: "person:maria" });
  const own = { for: "person:maria" };
  const refused: readonly object[] = [
    {},
    { as: "person:bob" },
    { as: "person:owner" },
    { as: "person://owner" },
    { as: "agent:x", for: "person:bob" },
    { ...own, permissions: ["*"] },
    { ...own, permissions: ["service:a", "host:admin"] },
    { ...own, as: "agent:boss" },
    { ...own, as: "agent://boss" },
    { ...own, as: "agent:auditor" },
    { ...own, as: "agent:reader" },
  ];
  const asked = place.evidence("key_create_asked").length;
  for (const order of refused) {
    const { status, json } = await maria(order);
    expect([order, status, json.error]).toEqual([order, 403, "permission_missing"]);
    expect(json.remedy).toContain("person:maria");
  }
  expect(place.evidence("key_create_asked")).toHaveLength(asked);
  expect((await maria({ ...own, permissions: ["service:a", "x:y"] })).json.message).toContain("a key with x:y:");
  for (const order of [
    own,
    { as: "person:maria" },
    { ...own, permissions: ["service:a", "service:*", "keys:manage"] },
    { ...own, as: "agent:dispatcher", scopes: ["a__*"] },
  ]) {
    expect([order, (await maria(order)).status]).toEqual([order, 201]);
  }
  expect((await host.rest("POST", "/v1/keys", { name: "any", as: "person:bob", permissions: ["*"] })).status).toBe(201);
});

it("does not let an agent become its person, nor leave the bounds of its key", async () => {
  const { keyOf } = await open();
  const bot = await keyOf("bot", { as: "agent:bot", for: "person:maria", scopes: ["a__*", "b__x"] });
  const own = { for: "person:maria", scopes: ["b__x"] };
  expect((await bot(own)).status).toBe(201);
  for (const order of [{ ...own, as: "person:maria" }, { for: "person:maria" }, { ...own, scopes: ["a__*", "c__*"] }]) {
    expect([order, (await bot(order)).status]).toEqual([order, 403]);
  }
  const careful = await keyOf("careful", { as: "person:careful" });
  expect((await careful({ for: "person:careful" })).status).toBe(201);
  const cautious = await keyOf("cautious", { as: "agent:cautious", for: "person:maria" });
  expect((await cautious({ for: "person:maria" })).status).toBe(403);
  expect((await cautious({ as: "agent:cautious", for: "person:maria" })).status).toBe(201);
});
