import { describe, expect, it } from "vitest";
import type { ListedTool, Provider, ProviderState } from "../../kernel/provider.ts";
import { createListedLifecycle } from "./listed-lifecycle.ts";

const TOOL = { name: "t" } as ListedTool;
const providerIn = (state: ProviderState): Provider =>
  ({
    name: "p",
    status: () => ({ state, reason: null, next: null, since: 0, retryAfterMs: null }),
  }) as unknown as Provider;
const said = (more: object) => ({ disabled: null, status: "experimental", sunset: null, ...more }) as const;

describe("the state that a tool is listed in", () => {
  it.each<[string, ProviderState, readonly string[] | null, string | null, object]>([
    ["invokable", "running", [], null, {}],
    ["discoverable", "running", ["usd"], null, {}],
    ["hosted", "starting", ["usd"], null, {}],
    ["suspended", "starting", null, null, {}],
    ["suspended", "running", [], "schema_too_large", {}],
    ["unavailable", "dead", null, "schema_too_large", {}],
    ["discoverable", "running", ["usd"], null, { status: "deprecated" }],
    ["deprecated", "running", [], null, { status: "deprecated" }],
    ["disabled", "dead", null, null, { disabled: "Off." }],
  ])("is %s", (state, provider, missing, defect, overlay) => {
    const listed = createListedLifecycle(() => defect);
    const requirements = missing && { required: missing, missing };
    expect(listed(providerIn(provider), TOOL, { overlaid: said(overlay), requirements }).state).toBe(state);
  });

  it.each([
    [["usd", "a b", "usd"], "usd, a b", "usd 'a b'"],
    ["a b c d e f g h i".split(" "), "a, b, c, d, e, f, g, h and 1 more", "a b c d e f g h"],
    [["usd", "--json"], "usd, --json", "<name>..."],
  ])("names what is missing and the command that adds it: %j", (missing, named, words) => {
    const listed = createListedLifecycle(() => null);
    expect(
      listed(providerIn("running"), TOOL, { overlaid: null, requirements: { required: missing, missing } }),
    ).toMatchObject({
      reason: `This host does not declare ${named}.`,
      next: `bailiwick capabilities add ${words}`,
    });
  });
});
