import { parseConfig, type Config } from "@bailiwick/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openIssuer, type TestIssuer } from "../../call/identity/issuer-for-tests.ts";
import { checkTokens } from "./check-tokens.ts";

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(() => issuer.close());

const configOf = (file: object): Config => parseConfig(JSON.stringify(file), { dialect: "bailiwick" }).config!;
const withIssuer = (more: object = {}): Config => configOf({ auth: { oidc: { issuer: issuer.issuer } }, ...more });

it("says nothing of tokens where none are taken", async () => {
  expect(await checkTokens(configOf({}))).toEqual([]);
});

it("counts the keys of an issuer that answers", async () => {
  expect(await checkTokens(withIssuer())).toMatchObject([
    { state: "ok", message: `${issuer.issuer} publishes 4 keys` },
  ]);
});

it("says where the keys of an issuer were looked for in vain, and what to correct", async () => {
  issuer.behave = (_, res) => !!res.writeHead(503).end();
  const [check, ...more] = await checkTokens(withIssuer());
  issuer.behave = null;
  expect(more).toEqual([]);
  expect(check).toMatchObject({ name: "oidc", state: "fail", fix: expect.stringContaining("auth.oidc.issuer") });
  expect(check?.message).toContain(`${issuer.issuer}/.well-known/openid-configuration answered 503`);
});

it("fails an issuer without keys", async () => {
  issuer.behave = (path, res) => path === "/jwks" && !!res.writeHead(200).end('{"keys":[]}');
  expect(await checkTokens(withIssuer())).toMatchObject([{ state: "fail" }]);
  issuer.behave = null;
});

it("warns of a host for other machines that does not know its own address", async () => {
  const [, check] = await checkTokens(withIssuer({ http: { host: "0.0.0.0" } }));
  expect(check).toMatchObject({ state: "warn", fix: expect.stringContaining("publicOrigin") });
  const known = { host: "0.0.0.0", publicOrigin: "https://host.example" };
  expect(await checkTokens(withIssuer({ http: known }))).toHaveLength(1);
});
