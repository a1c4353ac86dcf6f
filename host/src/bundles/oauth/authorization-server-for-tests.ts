/** A small authorization server: registration, codes with PKCE, refresh with rotation, client credentials. It says yes. */
import { hash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface AuthorizationServerOptions {
  /** Members of its metadata that differ. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Seconds that an access token lasts. */
  readonly lasts?: number;
  /** What it sends back as `iss`; null: nothing. */
  readonly iss?: string | null;
  readonly refreshes?: boolean;
}

export interface IssuedToken {
  readonly clientId: string;
  readonly scope: string;
  readonly resource: string | null;
}

interface Exchanged {
  readonly form: URLSearchParams;
  readonly authorization: string | null;
}

export class AuthorizationServer {
  /** Known once it listens. */
  issuer = "";
  /** By access token; delete one to revoke it. */
  readonly tokens = new Map<string, IssuedToken>();
  readonly refreshTokens = new Map<string, IssuedToken>();
  /** `METHOD /path` of every request. */
  readonly seen: string[] = [];
  /** What was sent to the token endpoint, and by whom. */
  readonly exchanges: Exchanged[] = [];
  readonly registrations: Record<string, unknown>[] = [];
  /** Queries sent to the authorization endpoint. */
  readonly asked: URLSearchParams[] = [];
  /** Set to answer the token endpoint with this. */
  failing: { readonly status: number; readonly body: string } | null = null;
  readonly #options: AuthorizationServerOptions;
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #http: Server;

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
    this.#http = createServer((req, res) => void this.#answer(req, res));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    this.issuer = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? "", this.issuer);
    this.seen.push(`${req.method} ${pathname}`);
    let body = "";
    for await (const chunk of req) body += String(chunk);
    if (pathname === "/.well-known/oauth-authorization-server") sendJson(res, this.#metadata());
    else if (pathname === "/authorize") this.#authorize(searchParams, res);
    else if (pathname === "/register") sendJson(res, this.#register(JSON.parse(body) as Record<string, unknown>), 201);
    else if (pathname !== "/token") sendJson(res, {}, 404);
    else if (this.failing) res.writeHead(this.failing.status).end(this.failing.body);
    else this.#give({ form: new URLSearchParams(body), authorization: req.headers.authorization ?? null }, res);
  }

  #metadata(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      ...this.#options.metadata,
    };
  }

  #register(asked: Record<string, unknown>): object {
    this.registrations.push(asked);
    const id = `client-${this.registrations.length}`;
    return { ...asked, client_id: id, client_secret: `secret-${randomUUID()}` };
  }

  #authorize(query: URLSearchParams, res: ServerResponse): void {
    this.asked.push(query);
    const code = randomUUID();
    this.#codes.set(code, query);
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    const { iss = this.issuer } = this.#options;
    if (iss !== null) back.searchParams.set("iss", iss);
    res.writeHead(302, { location: back.href }).end();
  }

  #give(exchanged: Exchanged, res: ServerResponse): void {
    this.exchanges.push(exchanged);
    const isOwnClient = exchanged.form.get("grant_type") === "client_credentials";
    const token = this.#tokenFor(exchanged);
    if (token === null) return sendJson(res, { error: isOwnClient ? "invalid_client" : "invalid_grant" }, 400);
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    const { lasts, refreshes = true } = this.#options;
    this.tokens.set(access, token);
    if (refreshes) this.refreshTokens.set(refresh, token);
    sendJson(res, {
      access_token: access,
      token_type: "Bearer",
      scope: token.scope,
      ...(lasts === undefined ? {} : { expires_in: lasts }),
      ...(refreshes ? { refresh_token: refresh } : {}),
    });
  }

  #tokenFor({ form, authorization }: Exchanged): IssuedToken | null {
    const basic = authorization === null ? null : Buffer.from(authorization.slice(6), "base64").toString();
    const clientId = basic?.split(":")[0] ?? form.get("client_id") ?? "";
    const resource = form.get("resource");
    const grant = form.get("grant_type");
    if (grant === "client_credentials") {
      return basic === "robot:robot-secret" ? { clientId, resource, scope: form.get("scope") ?? "" } : null;
    }
    if (grant === "refresh_token") {
      const used = form.get("refresh_token") ?? "";
      const old = this.refreshTokens.get(used);
      this.refreshTokens.delete(used);
      return old?.clientId === clientId ? old : null;
    }
    const query = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = hash("sha256", form.get("code_verifier") ?? "", "buffer").toString("base64url");
    const isRight =
      query?.get("code_challenge") === challenge &&
      query.get("client_id") === clientId &&
      query.get("redirect_uri") === form.get("redirect_uri");
    return isRight ? { clientId, resource, scope: query.get("scope") ?? "" } : null;
  }
}

const sendJson = (res: ServerResponse, value: unknown, status = 200): void =>
  void res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

export const startAuthorizationServer = async (
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> => {
  const server = new AuthorizationServer(options);
  await server.listen();
  onTestFinished(() => server.close());
  return server;
};

/** What a browser does with an authorization URL at a server that says yes: it ends at the redirect. */
export const agree = async (url: URL | string): Promise<URL> => {
  const answer = await fetch(url, { redirect: "manual" });
  return new URL(answer.headers.get("location") ?? "");
};
