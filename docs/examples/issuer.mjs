/**
 * An issuer for trying out `auth.oidc` on one machine: publishes one key at http://127.0.0.1:7430 and prints a token that
 * is good for ten minutes. Not for anything else: whoever can run it is whoever they like.
 * Usage: node issuer.mjs [subject] [scope]
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";

const ISSUER = "http://127.0.0.1:7430";
const [subject = "maria", scope = "openid"] = process.argv.slice(2);

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const documents = {
  "/.well-known/openid-configuration": { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` },
  "/jwks": { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "ES256", use: "sig" }] },
};

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const claims = { iss: ISSUER, sub: subject, aud: "http://127.0.0.1:7420/mcp", scope, iat: now, exp: now + 600 };
const signed = `${encode({ alg: "ES256", kid: "1" })}.${encode(claims)}`;
const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });

createServer((req, res) => {
  const document = documents[req.url];
  res.writeHead(document ? 200 : 404, { "Content-Type": "application/json" });
  res.end(JSON.stringify(document ?? {}));
}).listen(7430, "127.0.0.1", () => console.log(`${signed}.${signature.toString("base64url")}`));
