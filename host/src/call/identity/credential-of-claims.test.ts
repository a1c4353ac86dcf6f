import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { credentialOfClaims } from "./credential-of-claims.ts";
import type { Claims } from "./verify-token.ts";

const claims = (more: Record<string, unknown>): Claims => ({ sub: "maria", exp: 1, ...more });
const as = (sub: string): string => credentialOfClaims(claims({ sub }), {}).as;

describe("whom a token stands for", () => {
  it.each([
    ["maria", "person:maria"],
    ["maria@example.com", "person:maria@example.com"],
    ["auth0|5f7c8ec7c33c6c004bbafe82", "person:auth0%7C5f7c8ec7c33c6c004bbafe82"],
    ["a*", "person:a%2A"],
    ["a\nb", "person:a%0Ab"],
    ["owner", "person:%6Fwner"],
    ["local", "person:%6Cocal"],
  ])("subject %j is %s", (sub, id) => expect(as(sub)).toBe(id));

  it("is never the same for two subjects, and never the owner", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        expect(as(one) === as(other)).toBe(one === other);
        expect(as(one)).not.toBe("person:owner");
        expect(as(one)).toMatch(/^person:[A-Za-z0-9._@%-]+$/);
      }),
    );
  });

  it.each(["client_id", "azp"])("is a service where the token was issued to a client for itself (%s)", (claim) => {
    expect(credentialOfClaims(claims({ sub: "ci", [claim]: "ci" }), {}).as).toBe("service:ci");
    expect(credentialOfClaims(claims({ sub: "maria", [claim]: "ci" }), {}).as).toBe("person:maria");
  });
});

describe("what a token may", () => {
  it("is nothing more than calling, unless the configuration names a claim", () => {
    const rich = claims({ scope: "keys:manage", permissions: ["*"], roles: ["owner"] });
    expect(credentialOfClaims(rich, {})).toMatchObject({ permissions: [], roles: [] });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ["scope", { scope: "openid keys:manage" }, ["openid", "keys:manage"]],
    ["permissions", { permissions: ["a:b", 1, "", null] }, ["a:b"]],
    ["realm_access.roles", { realm_access: { roles: ["x"] } }, ["x"]],
    ["https://e.example/roles", { "https://e.example/roles": ["x"] }, ["x"]],
    ["constructor.name", {}, []],
    ["a.b", { a: null }, []],
    ["n", { n: 7 }, []],
  ])("is read from %s", (name, more, words) => {
    const names = { permissionsClaim: name, rolesClaim: name };
    expect(credentialOfClaims(claims(more), names)).toMatchObject({ permissions: words, roles: words });
  });

  it("is never everything", () => {
    const all = credentialOfClaims(claims({ scope: "* keys:manage" }), { permissionsClaim: "scope" });
    expect(all.permissions).toEqual(["keys:manage"]);
  });
});
