import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import { fetchKeySet } from "./fetch-key-set.ts";
import { openIssuer, type TestIssuer } from "./issuer-for-tests.ts";
import { KeysUnavailable } from "./keys-unavailable.ts";

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(() => issuer.close());
beforeEach(() => {
  issuer.behave = null;
  issuer.asked.length = 0;
});

const send = (res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): true => {
  res.writeHead(status, headers).end(body);
  return true;
};

describe("the keys of an issuer", () => {
  it("are found by its OpenID metadata", async () => {
    expect(await fetchKeySet({ issuer: issuer.issuer })).toMatchObject({ count: 4 });
    expect(issuer.asked).toEqual(["/.well-known/openid-configuration", "/jwks"]);
  });

  it("are found by its OAuth metadata where there is no OpenID, the path of the issuer at the end", async () => {
    const realm = `${issuer.issuer}/realm`;
    issuer.behave = (path, res) =>
      path === "/.well-known/oauth-authorization-server/realm" &&
      send(res, 200, JSON.stringify({ issuer: realm, jwks_uri: issuer.jwksUri }));
    expect(await fetchKeySet({ issuer: realm })).toMatchObject({ count: 4 });
    expect(issuer.asked[0]).toBe("/realm/.well-known/openid-configuration");
  });

  it("are taken from jwksUri without asking for metadata", async () => {
    await fetchKeySet({ issuer: "https://elsewhere.example", jwksUri: issuer.jwksUri });
    expect(issuer.asked).toEqual(["/jwks"]);
  });

  it.each<[string, (path: string, res: ServerResponse) => boolean, RegExp]>([
    ["the metadata speaks for another", (_, res) => send(res, 200, '{"issuer":"https://e.example"}'), /another issuer/],
    ["the metadata is not an object", (_, res) => send(res, 200, "null"), /another issuer/],
    ["a redirect leads elsewhere", (_, res) => send(res, 302, "", { location: "https://e.example" }), /redirects/],
    ["the issuer fails", (_, res) => send(res, 503, ""), /answered 503/],
    ["it is not JSON", (_, res) => send(res, 200, "<html>"), /is not JSON/],
    ["it has no end", (_, res) => send(res, 200, `"${"x".repeat(300_000)}"`), /larger than/],
    ["the connection breaks", (_, res) => !!res.destroy(), /cannot be reached/],
    ["the keys are no key set", (path, res) => path === "/jwks" && send(res, 200, '{"keys":1}'), /JSON Web Key Set/],
    ["the keys are not there", (path, res) => path === "/jwks" && send(res, 404, ""), /answered 404/],
  ])("cannot be had when %s", async (_, behave, reason) => {
    issuer.behave = behave;
    const failure = await fetchKeySet({ issuer: issuer.issuer }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeysUnavailable);
    expect((failure as Error).message).toMatch(reason);
  });

  it.each(["http://keys.example/jwks", "http://127.0.0.1.example/jwks", "ftp://127.0.0.1/jwks"])(
    "are not asked for over an open wire: %s",
    async (jwksUri) => {
      await expect(fetchKeySet({ issuer: "https://e.example", jwksUri })).rejects.toThrow(/neither https nor on this/);
    },
  );

  it("cannot be had from an issuer that is not there", async () => {
    const gone = await openIssuer();
    await gone.close();
    await expect(fetchKeySet({ issuer: gone.issuer })).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/);
  });
});
