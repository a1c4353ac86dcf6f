import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateKeyPair, UnsecuredJWT, type JWTPayload } from "jose";
import { createTokens, type Tokens, type TokensOptions } from "./create-tokens.ts";
import { AUDIENCE, openIssuer, type SignOptions, type TestIssuer } from "./issuer-for-tests.ts";

let issuer: TestIssuer;
let tokens: Tokens;
let clock = 0;
let reports: unknown[] = [];

const optionsNow = (): TokensOptions => ({
  oidc: { issuer: issuer.issuer, jwksUri: issuer.jwksUri },
  audience: () => AUDIENCE,
  report: (error) => reports.push(error),
  now: () => Date.now() + clock,
});
const fetches = (): number => issuer.asked.filter((path) => path === "/jwks").length;

beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(() => issuer.close());
beforeEach(() => {
  clock = 0;
  reports = [];
  issuer.asked.length = 0;
  issuer.behave = null;
  tokens = createTokens(optionsNow());
  return () => tokens.close();
});

const now = (): number => Math.floor(Date.now() / 1000);

describe("a token is accepted", () => {
  it.each(["RS256", "PS256", "ES256", "EdDSA"])("when it is signed with %s", async (alg) => {
    const token = await issuer.sign({}, { alg });
    expect(tokens.find(token)).toBeNull();
    expect(await tokens.admit(token)).toBeNull();
    expect(tokens.find(token)).toMatchObject({ as: "person:maria", for: null, permissions: [], scopes: null });
  });

  it.each<[string, () => JWTPayload]>([
    ["this host is one of its audiences", () => ({ aud: ["https://other.example", AUDIENCE] })],
    ["it expired less than 30 s ago", () => ({ exp: now() - 20 })],
    ["it becomes valid in less than 30 s", () => ({ nbf: now() + 20 })],
  ])("when %s", async (_, claims) => {
    expect(await tokens.admit(await issuer.sign(claims()))).toBeNull();
  });
});

describe("a token is refused", () => {
  it.each<[string, () => JWTPayload, SignOptions, RegExp]>([
    ["of another issuer", () => ({ iss: "https://evil.example" }), {}, /issuer \(iss\) is not/],
    ["of an issuer that only begins the same", () => ({ iss: `${issuer.issuer}/` }), {}, /issuer \(iss\)/],
    ["without an issuer", () => ({ iss: undefined }), {}, /no iss/],
    ["for another audience", () => ({ aud: "https://other.example/mcp" }), {}, /another audience/],
    ["for an audience that only begins the same", () => ({ aud: `${AUDIENCE}/` }), {}, /another audience/],
    ["without an audience", () => ({ aud: undefined }), {}, /no aud/],
    ["without an expiry", () => ({ exp: undefined }), {}, /no exp/],
    ["with an expiry in words", () => ({ exp: "tomorrow" as unknown as number }), {}, /its exp is not valid/],
    ["that expired more than 30 s ago", () => ({ exp: now() - 40 }), {}, /expired/],
    ["that is not valid yet", () => ({ nbf: now() + 60 }), {}, /not valid yet/],
    ["about nobody", () => ({ sub: undefined }), {}, /no sub/],
    ["about an empty name", () => ({ sub: "" }), {}, /subject/],
    ["about a name without end", () => ({ sub: "x".repeat(256) }), {}, /subject/],
    ["about half a character", () => ({ sub: "\ud800" }), {}, /subject/],
    ["signed with a shared secret", () => ({}), { alg: "HS256", key: new Uint8Array(32) }, /not signed with one of/],
    ["signed with a key that is not published", () => ({}), { kid: "unknown" }, /publishes no key/],
    ["that names a key of another algorithm", () => ({}), { kid: "RS256-1" }, /publishes no key/],
  ])("%s", async (_, claims, options, reason) => {
    const token = await issuer.sign(claims(), options);
    expect(await tokens.admit(token)).toMatch(reason);
    expect(tokens.find(token)).toBeNull();
    expect(reports).toEqual([]);
  });

  it("signed by a stranger under the id of a published key", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    expect(await tokens.admit(await issuer.sign({}, { key: privateKey }))).toMatch(/signature does not fit/);
  });

  it("that is not signed at all", async () => {
    const claims = { sub: "maria", iss: issuer.issuer, aud: AUDIENCE, exp: now() + 60 };
    expect(await tokens.admit(new UnsecuredJWT(claims).encode())).toMatch(/not signed with one of|well-formed/);
  });

  it("whose claims were changed after signing, however little", async () => {
    const [header, payload, signature] = (await issuer.sign({})).split(".") as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as JWTPayload;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "owner" })).toString("base64url");
    expect(await tokens.admit(`${header}.${forged}.${signature}`)).toMatch(/signature does not fit/);
  });

  it.each(["ey.", "eyJ.eyJ.x", "ey..", "eyJhbGciOiJFUzI1NiJ9.e30", `ey${"a".repeat(9_000)}.b.c`])(
    "that is no token at all: %.20s",
    async (text) => {
      expect(await tokens.admit(text)).toMatch(/well-formed|not signed/);
      expect(reports).toEqual([]);
    },
  );
});

describe("the memory of tokens", () => {
  it("answers at once, asks for the keys once, and wants a token verified again after a minute", async () => {
    const token = await issuer.sign({});
    expect(tokens.needsAdmission(token)).toBe(true);
    await tokens.admit(token);
    expect(tokens.needsAdmission(token)).toBe(false);
    expect(tokens.find(token)).toBe(tokens.find(token));
    clock = 60_000;
    expect(tokens.needsAdmission(token)).toBe(true);
    expect(tokens.find(token)).not.toBeNull();
    await tokens.admit(token);
    expect(tokens.needsAdmission(token)).toBe(false);
    expect(fetches()).toBe(1);
  });

  it("ends with the token, also for those who only ask `find`", async () => {
    const token = await issuer.sign({ exp: now() + 10 });
    await tokens.admit(token);
    clock = 39_000;
    expect(tokens.find(token)).not.toBeNull();
    clock = 42_000;
    expect(tokens.find(token)).toBeNull();
  });

  it("is limited: the one that was admitted longest ago leaves", async () => {
    const few = createTokens({ ...optionsNow(), maxRemembered: 2 });
    const [one, two, three] = await Promise.all(["1", "2", "3"].map((jti) => issuer.sign({ jti })));
    for (const token of [one!, two!, one!, three!]) await few.admit(token);
    expect([one!, two!, three!].map((token) => few.find(token) !== null)).toEqual([true, false, true]);
    few.close();
  });

  it("never takes a key of the host for a token", () => {
    for (const key of ["bw_owner_abc", "bw_abc.def", "eyeless", ""]) expect(tokens.needsAdmission(key)).toBe(false);
  });
});

describe("the issuer's keys", () => {
  it("may change: new tokens are accepted, those of withdrawn keys are not, even if remembered", async () => {
    const old = await issuer.sign({});
    await tokens.admit(old);
    await issuer.rotate();
    const fresh = await issuer.sign({});
    expect(await tokens.admit(fresh)).toBeNull();
    expect(tokens.find(old)).toBeNull();
    expect(tokens.needsAdmission(old)).toBe(true);
    expect(await tokens.admit(old)).toMatch(/publishes no key/);
  });

  it("are fetched once more for an unknown key id, and then not again for a while", async () => {
    for (let i = 0; i < 20; i++) await tokens.admit(await issuer.sign({}, { kid: `odd-${i}` }));
    expect(fetches()).toBe(2);
    clock = 31_000;
    await tokens.admit(await issuer.sign({}, { kid: "odd" }));
    expect(fetches()).toBe(3);
  });

  it("are not believed for longer than ten minutes", async () => {
    const token = await issuer.sign({ exp: now() + 3_600 });
    await tokens.admit(token);
    clock = 601_000;
    expect(tokens.find(token)).toBeNull();
    issuer.behave = (_, res) => !!res.writeHead(500).end();
    expect(await tokens.admit(token)).toMatch(/keys of its issuer cannot be had/);
    issuer.behave = null;
    clock += 6_000;
    expect(await tokens.admit(token)).toBeNull();
  });

  it("are fetched once for many who ask at the same time", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => issuer.sign({ jti: String(i) })));
    expect(await Promise.all(many.map((token) => tokens.admit(token)))).toEqual(many.map(() => null));
    expect(fetches()).toBe(1);
  });
});
