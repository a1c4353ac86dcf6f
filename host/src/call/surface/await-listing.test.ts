import { describe, expect, it } from "vitest";
import { NOBODY } from "../../kernel/ask.ts";
import type { Provider } from "../../kernel/provider.ts";
import type { Identified } from "../../kernel/stages.ts";
import { awaitListing } from "./await-listing.ts";
import { openBench, OWNER, provider, refusalOf, resource, scoped } from "./sheets-for-tests.ts";
import { createSurface } from "./surface.ts";

const order = { operation: "call", provider: null, providerHint: null, surface: null, asker: NOBODY, principal: OWNER };
const call = (more: object): Identified => ({ ...order, ...more }) as unknown as Identified;

/** A provider that has listed nothing; what `then` leaves behind is what whoever waited for it finds. */
const bench = (then: (registry: ReturnType<typeof openBench>["registry"]) => void) => {
  const opened = openBench();
  let waited = 0;
  const starting: Provider = Object.assign(provider("new", { state: "starting" }), {
    whenReady: () => {
      waited++;
      then(opened.registry);
      return Promise.resolve(true);
    },
  });
  opened.registry.add(starting);
  const surface = awaitListing(createSurface(opened.sheets));
  return { ...opened, surface: async (more: object) => surface(call(more)), waited: () => waited };
};

describe("a call of a provider that starts and has never listed anything", () => {
  it("waits for it and goes on with what it lists then", async () => {
    const { surface, waited } = bench((registry) => registry.add(provider("new", { tools: ['{"name":"t"}'] })));
    expect((await surface({ name: "new__t" })).target.flatName).toBe("new__t");
    expect((await surface({ name: "t", provider: "new" })).target.flatName).toBe("new__t");
    expect(waited()).toBe(1);
  });

  it("hears that there is no such tool when the list has none of that name", async () => {
    const { surface } = bench((registry) => registry.add(provider("new", { tools: ['{"name":"t"}'] })));
    await expect(surface({ name: "new__other" })).rejects.toMatchObject({ kind: "unknown_tool" });
  });

  it("hears when to come again when it does not come up in time", async () => {
    const { surface, waited } = bench(() => {});
    const no = { kind: "not_ready", details: { state: "starting" }, retryAfterMs: 2000 };
    await expect(surface({ name: "new__t" })).rejects.toMatchObject(no);
    expect(waited()).toBe(1);
  });
});

describe("a read while a provider starts that has never listed anything", () => {
  const read = { operation: "read", name: "note:1" };
  const listed = { resources: [resource("note:1")] };

  it("waits for it and finds the resource that it lists then", async () => {
    const { surface, waited } = bench((registry) => registry.add(provider("new", listed)));
    expect((await surface(read)).target).toMatchObject({ name: "note:1", provider: { name: "new" } });
    expect(waited()).toBe(1);
  });

  it("hears that nobody has it when the list has no such URI, and when to come again when there is no list", async () => {
    const { surface } = bench((registry) => registry.add(provider("new", listed)));
    await expect(surface({ ...read, name: "other:2" })).rejects.toMatchObject({ kind: "resource_not_found" });
    const late = bench(() => {});
    const message = 'The resource "note:1" is not known yet: new is starting and has listed nothing so far.';
    await expect(late.surface(read)).rejects.toMatchObject({ kind: "not_ready", retryAfterMs: 2000, message });
  });

  it("does not wait for what somebody lists, nor for a provider that it may not see or that failed before", async () => {
    const { surface, waited, registry } = bench(() => {});
    registry.add(provider("old", listed));
    expect((await surface(read)).target.provider.name).toBe("old");
    const unseen = { ...read, name: "x:1", principal: scoped("old__*") };
    await expect(surface(unseen)).rejects.toMatchObject({ kind: "resource_not_found" });
    registry.remove("new");
    const failed = provider("failed", { state: "starting" });
    const status = { ...failed.status(), lastError: "it exited" };
    registry.add(Object.assign(failed, { status: () => status }));
    await expect(surface({ ...read, name: "x:1" })).rejects.toMatchObject({ kind: "resource_not_found" });
    expect(waited()).toBe(0);
  });
});

it("nobody waits for what it may not name, for a provider that there is not, or for one that is down for good", async () => {
  const { surface, waited, registry, find } = bench(() => {});
  registry.add(provider("gone", { state: "stopped" }));
  await expect(surface({ name: "new__t", principal: scoped("other__*") })).rejects.toMatchObject({
    kind: "not_visible",
  });
  for (const name of ["none__t", "gone__t", "t", "__t"]) {
    await expect(surface({ name })).rejects.toMatchObject({ kind: "unknown_tool" });
  }
  expect(waited()).toBe(0);
  expect(refusalOf(() => find({ name: "new__t" })).kind).toBe("not_ready");
});
