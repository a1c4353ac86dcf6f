/** Tokens at the doors. Who verifies them is another room's: here a token is good, bad, or decided when the test says. */
import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { challenge } from "./challenge.ts";
import { JSON_HEADERS, knock, modern } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import type { TokenDoor } from "./token-door.ts";

let door: TestDoor;
let asked: string[] = [];
let decide: (fault: string | null) => void = () => {};

const tokens: TokenDoor = {
  needsAdmission: (credential) => credential.startsWith("ey") && !door.principals.has(credential),
  admit: (token) => {
    asked.push(token);
    const verdict = (fault: string | null): string | null => {
      if (fault === null) door.principals.set(token, door.principals.get(OWNER)!);
      return fault;
    };
    if (token !== "ey-slow") return Promise.resolve(verdict(token === "ey-good" ? null : "it is bad"));
    return new Promise((resolve) => {
      decide = (fault) => resolve(verdict(fault));
    });
  },
  issuer: "https://issuer.example",
  resource: () => "https://public.example/mcp",
  scopesArePermissions: true,
};

beforeAll(async () => {
  door = await openTestDoor({ tokens });
});
afterAll(() => door.listener.close());
beforeEach(() => {
  asked = [];
});

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const echo = (credential: string) =>
  knock(door.origin, modern("tools/call", { name: "echo", arguments: {} }, bearer(credential)));

describe("a door that takes tokens", () => {
  it("has a token verified once, then knows it; a key never waits for it", async () => {
    expect((await echo("ey-good")).status).toBe(200);
    expect((await echo("ey-good")).status).toBe(200);
    expect((await echo(OWNER)).status).toBe(200);
    const rest = { method: "GET", path: "/v1/tools", headers: bearer("ey-good") };
    expect((await knock(door.origin, rest)).status).toBe(200);
    expect(asked).toEqual(["ey-good"]);
  });

  it("refuses a bad one on every door, and notes where it came from", async () => {
    const before = door.rejected.length;
    for (const said of [
      await echo("ey-bad"),
      await knock(door.origin, { method: "GET", path: "/v1/tools", headers: bearer("ey-bad") }),
      await knock(door.origin, { method: "GET", headers: { ...bearer("ey-bad"), "mcp-session-id": "x" } }),
    ]) {
      expect(said.status).toBe(401);
      expect(said.headers["www-authenticate"]).toContain('error_description="it is bad"');
      expect(said.text).toContain("it is bad");
    }
    expect(door.rejected.length - before).toBe(3);
  });

  it("runs nothing for a caller who left while the token was verified", async () => {
    const before = door.calls.length;
    const { headers, body } = modern("tools/call", { name: "echo", arguments: {} }, bearer("ey-slow"));
    const left = request(`${door.origin}/mcp`, { method: "POST", headers: { ...JSON_HEADERS, ...headers } });
    left.on("error", () => {});
    left.end(JSON.stringify(body));
    await expect.poll(() => asked).toEqual(["ey-slow"]);
    left.destroy();
    await new Promise((resolve) => left.once("close", resolve));
    // The host has read the end of that connection by the time it has answered on a later one.
    await echo(OWNER);
    decide(null);
    await echo("ey-slow");
    expect(door.calls.slice(before).map((call) => call.presented)).toEqual(
      [OWNER, "ey-slow"].map((token) => ({ kind: "bearer", token })),
    );
    expect(door.bugs).toEqual([]);
  });
});

describe("the challenge", () => {
  it("cannot be broken out of by what is quoted in it", () => {
    const header = challenge(tokens, { error: "invalid_token", description: 'a", scope="*"\r\nX: \\ü' });
    expect(header["WWW-Authenticate"]).toContain('error_description="a?, scope=?*???X: ??"');
  });

  it("says no more than the scheme where no tokens are taken", () => {
    expect(challenge(null, { error: "invalid_token" })).toEqual({ "WWW-Authenticate": "Bearer" });
  });
});
