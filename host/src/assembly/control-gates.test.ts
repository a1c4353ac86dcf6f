import { expect, it } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import { DIGEST, standInGates } from "../transport/gates-for-tests.ts";
import { controlGates } from "./control-gates.ts";

const gates = standInGates();
const local = { id: "person:local", workspace: "ws_team", scopes: null } as Principal;
const host = controlGates(gates, local);

it("what is changed is changed in the name of the local user", async () => {
  await host.capabilities.declare(["usd"], ["scene.read"]);
  expect(await host.capabilities.list()).toMatchObject({ declared: ["usd"] });
  expect(await host.skills.accept("p", DIGEST)).toMatchObject({ state: "ready" });
  await host.skills.list({ dcc: "maya" });
  expect(gates.told).toEqual([
    "declare usd by person:local from scene.read",
    `accept p ${DIGEST} by person:local`,
    "list ws_team",
  ]);
});

it("a skill that is not there is refused with the nearest name", async () => {
  expect(await host.skills.get("guide")).toMatchObject({ kind: "skill" });
  await expect(host.skills.get("guid")).rejects.toMatchObject({
    kind: "not_found",
    message: 'There is no skill "guid". Did you mean "guide"?',
  });
  await expect(host.skills.get("something else")).rejects.toMatchObject({ kind: "not_found" });
});

it("a path is resolved, or refused by its kind; a fault stays one", async () => {
  expect((await host.roots.list()).roots).toHaveLength(3);
  expect(await host.roots.resolve("workspace://a")).toBe("/secret/project/a");
  await expect(host.roots.resolve("../x")).rejects.toMatchObject({
    kind: "path_outside_roots",
    details: { path: "../x" },
  });
  await expect(host.roots.resolve("bug")).rejects.toThrow("secret inside");
});
