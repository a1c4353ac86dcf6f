/** An issuer on this machine for tests: real keys, real JWTs, its metadata and keys over HTTP. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";

export interface SignOptions {
  readonly alg?: string;
  /** Instead of the id of the key that signs. */
  readonly kid?: string;
  /** Instead of the published key of that algorithm. */
  readonly key?: CryptoKey | Uint8Array;
}

export interface TestIssuer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Set to answer otherwise than an issuer should. */
  behave: ((path: string, res: ServerResponse) => boolean) | null;
  /** A good token for `aud` unless the claims say otherwise; a claim that is undefined is left out. */
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
  /** Withdraws every key and publishes new ones. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export const AUDIENCE = "https://host.example/mcp";
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];

const makeKeys = async (generation: number): Promise<{ keys: Map<string, CryptoKey>; published: JWK[] }> => {
  const keys = new Map<string, CryptoKey>();
  const published: JWK[] = [];
  for (const alg of ALGORITHMS) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(alg, privateKey);
    published.push({ ...(await exportJWK(publicKey)), kid: `${alg}-${generation}`, alg, use: "sig" });
  }
  return { keys, published };
};

export const openIssuer = async (): Promise<TestIssuer> => {
  let generation = 1;
  let { keys, published } = await makeKeys(generation);
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const path = req.url ?? "";
    asked.push(path);
    if (opened.behave?.(path, res)) return;
    const documents: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/jwks` },
      "/jwks": { keys: published },
    };
    const document = documents[path];
    res.writeHead(document === undefined ? 404 : 200, { "Content-Type": "application/json" });
    res.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened: TestIssuer = {
    issuer,
    jwksUri: `${issuer}/jwks`,
    asked,
    behave: null,
    sign: (claims, { alg = "ES256", kid, key } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: issuer, aud: AUDIENCE, sub: "maria", iat: now, exp: now + 600, ...claims };
      const header = { alg, kid: kid ?? `${alg}-${generation}`, typ: "at+jwt" };
      return new SignJWT(payload).setProtectedHeader(header).sign(key ?? keys.get(alg)!);
    },
    rotate: async () => {
      ({ keys, published } = await makeKeys(++generation));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return opened;
};
