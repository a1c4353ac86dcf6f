/** An MCP server that lets in only those who bring a token of its authorization server that was given for it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AuthorizationServer, IssuedToken } from "./authorization-server-for-tests.ts";

const METADATA = "/.well-known/oauth-protected-resource";
const OPENED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "guarded", version: "1.0.0" },
};
const RESULTS: Record<string, unknown> = {
  initialize: OPENED,
  "tools/list": { tools: ["whoami", "admin"].map((name) => ({ name, inputSchema: { type: "object" } })) },
  ping: {},
};

interface Rpc {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

export class ProtectedServer {
  /** `METHOD rpc-method` and the `Authorization` of every request to the endpoint. */
  readonly seen: { readonly what: string; readonly authorization: string | null }[] = [];
  /** The authorization server it trusts; change it to move. */
  server: AuthorizationServer;
  /** Set to name another than it trusts. */
  named: string | null = null;
  /** Set to refuse every token. */
  refuses = false;
  /** Set to have no metadata. */
  isMute = false;
  /** Set to send every request elsewhere. */
  redirect: string | null = null;
  /** Set to list a document of its own to each token, which can be watched. */
  documentOf: ((token: string) => string) | null = null;
  readonly #http: Server;

  constructor(server: AuthorizationServer) {
    this.server = server;
    this.#http = createServer((req, res) => void this.#answer(req, res));
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.#origin}/mcp`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of req) body += String(chunk);
    if (req.url?.startsWith(METADATA) && !this.isMute) {
      sendJson(res, { resource: this.url, authorization_servers: [this.named ?? this.server.issuer] });
    } else if (req.url === "/mcp") this.#admit(req, res, body === "" ? {} : (JSON.parse(body) as Rpc));
    else res.writeHead(404).end();
  }

  #admit(req: IncomingMessage, res: ServerResponse, rpc: Rpc): void {
    const authorization = req.headers.authorization ?? null;
    this.seen.push({ what: `${req.method} ${rpc.method ?? ""}`.trim(), authorization });
    const access = authorization?.replace(/^Bearer /, "") ?? "";
    const token = this.server.tokens.get(access);
    if (this.redirect !== null) res.writeHead(307, { location: this.redirect }).end();
    else if (this.refuses || token?.resource !== this.url) this.#challenge(res, 401, 'scope="basic"');
    else if (req.method === "POST") this.#run(rpc, { ...token, access }, res);
    else res.writeHead(405).end();
  }

  #challenge(res: ServerResponse, status: number, more: string): void {
    const metadata = `resource_metadata="${this.#origin}${METADATA}/mcp"`;
    res.writeHead(status, { "www-authenticate": `Bearer ${metadata}, ${more}` }).end();
  }

  /** The tool `admin` wants the scope of that name. */
  #run({ id, method = "", params }: Rpc, token: IssuedToken & { readonly access: string }, res: ServerResponse): void {
    const { clientId, scope, access } = token;
    if (params?.name === "admin" && !scope.split(" ").includes("admin")) {
      return this.#challenge(res, 403, 'error="insufficient_scope", scope="admin"');
    }
    if (id === undefined) return void res.writeHead(202).end();
    const called = { content: [{ type: "text", text: `${clientId} with ${scope}` }] };
    const result = method === "tools/call" ? called : (this.#documents(method, access) ?? RESULTS[method]);
    const unknown = { error: { code: -32601, message: "method not found" } };
    return sendJson(res, { jsonrpc: "2.0", id, ...(result === undefined ? unknown : { result }) });
  }

  #documents(method: string, access: string): unknown {
    if (this.documentOf === null) return undefined;
    const uri = this.documentOf(access);
    if (method === "initialize") return { ...OPENED, capabilities: { tools: {}, resources: { subscribe: true } } };
    if (method === "resources/list") return { resources: [{ uri, name: uri }] };
    return method === "resources/subscribe" || method === "resources/unsubscribe" ? {} : undefined;
  }
}

const sendJson = (res: ServerResponse, value: unknown): void =>
  void res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

export const startProtectedServer = async (server: AuthorizationServer): Promise<ProtectedServer> => {
  const guarded = new ProtectedServer(server);
  await guarded.listen();
  onTestFinished(() => guarded.close());
  return guarded;
};
