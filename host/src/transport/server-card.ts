/**
 * The server card: who answers at `/mcp` and which revisions it speaks, for clients that have not connected yet. It lists
 * no tools, since those depend on who asks; so it answers without a credential.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { allowOrigin } from "./cors.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { LEGACY_VERSIONS, MODERN_VERSION } from "./protocol.ts";

const PATH = "/mcp/server-card";
const HEADERS = {
  "Content-Type": "application/mcp-server-card+json",
  "Cache-Control": "max-age=300",
  "X-Content-Type-Options": "nosniff",
};

export interface CardRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly route: { readonly path: string };
  /** The allowed origin whose page asks. */
  readonly foreign: string | null;
}

/** False: the request is for something else. */
export const answerServerCard = (
  { info, limits }: ListenerDeps,
  { req, res, route, foreign }: CardRequest,
): boolean => {
  if (route.path !== PATH || (req.method !== "GET" && req.method !== "HEAD")) return false;
  if (foreign !== null) allowOrigin(res, foreign);
  const origin = limits.publicOrigin ?? `http://${req.headers.host}`;
  const card = {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: "dev.bailiwick/host",
    version: info.version,
    title: info.name ?? "Bailiwick",
    description: "A capability host: many MCP servers behind one governed endpoint.",
    remotes: [
      {
        type: "streamable-http",
        url: `${origin}/mcp`,
        supportedProtocolVersions: [MODERN_VERSION, ...LEGACY_VERSIONS],
      },
    ],
  };
  const text = JSON.stringify(card);
  res.writeHead(200, { ...HEADERS, "Content-Length": Buffer.byteLength(text) });
  res.end(text);
  return true;
};
