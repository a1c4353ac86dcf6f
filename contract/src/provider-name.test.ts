import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deriveProviderName, findProviderNameFault, PROVIDER_NAME } from "./provider-name.ts";

describe("a provider's name", () => {
  test.each([
    ["@acme/Foo_Bar", "foo-bar"],
    ["everything", "everything"],
    ["io.github.acme/My.Server", "my-server"],
    ["npm:@modelcontextprotocol/server-memory@2026.8.31", "server-memory"],
    ["npm:server-memory", "server-memory"],
    ["npm:@acme/tool", "tool"],
    ["a".repeat(48), "a".repeat(48)],
  ])("of %j is derived as %j", (name, derived) => {
    expect(deriveProviderName(name)).toBe(derived);
  });

  test.each(["", "@acme/", "_x", "-x", "ß", "a".repeat(49)])("cannot be derived from %j", (name) => {
    expect(deriveProviderName(name)).toBeNull();
  });

  test("whatever is derived is a name, and deriving again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "Z", "9", "-", "_", ".", "@", "/", "é", "😀") }), (name) => {
        const derived = deriveProviderName(name);
        fc.pre(derived !== null);
        expect(derived).toMatch(PROVIDER_NAME);
        expect(derived).not.toContain("_");
        expect(deriveProviderName(derived)).toBe(derived);
      }),
    );
  });

  test.each(["nb", "files", "compose", "skills", "capabilities", "host"])("%s is the host's own", (name) => {
    expect(findProviderNameFault(name)).toBe(`"${name}" is reserved for the host; give the entry another serverName`);
  });

  test("is refused with the rule when it is malformed, and accepted otherwise", () => {
    expect(findProviderNameFault("Echo")).toContain("set serverName");
    expect(findProviderNameFault("a__b")).toContain("set serverName");
    expect(findProviderNameFault("echo\n")).toContain("set serverName");
    expect(findProviderNameFault("echo-2")).toBeNull();
  });
});
