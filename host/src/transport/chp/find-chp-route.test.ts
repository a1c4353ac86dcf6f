import { expect, it } from "vitest";
import type { ChpRoute } from "./chp-parts.ts";
import { findChpRoute } from "./find-chp-route.ts";

const ROUTE: ChpRoute = { run: () => null };

/** Counts how often it is asked. */
class CountedRoutes extends Map<string, ChpRoute> {
  asked = 0;

  override get(key: string): ChpRoute | undefined {
    this.asked++;
    return super.get(key);
  }
}

const routes = (): CountedRoutes =>
  new CountedRoutes([
    ["GET /replay/", ROUTE],
    ["GET /head/inclusion/", ROUTE],
  ]);

it.each([
  ["/replay/a/b//c", "a/b//c"],
  ["/replay//", "/"],
  ["/head/inclusion/a/b", "a/b"],
  [`/replay/${"%41".repeat(256)}`, "A".repeat(256)],
])("an id may have slashes of its own, and be encoded: %s", (path, argument) => {
  expect(findChpRoute(routes(), "GET", path)).toEqual({ route: ROUTE, argument });
});

it.each(["/".repeat(1000), "/".repeat(15_000), "/a".repeat(500), `/replay/${"x".repeat(15_000)}`])(
  "an address of nothing but words and slashes is looked up a few times and no more (%#)",
  (path) => {
    const table = routes();
    expect(findChpRoute(table, "GET", path)).toBeNull();
    expect(table.asked).toBeLessThan(12);
  },
);
