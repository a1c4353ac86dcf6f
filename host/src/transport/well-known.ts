/**
 * RFC 9728 metadata: which issuer's tokens this host takes, for clients that have none yet. Answers without a credential,
 * and to pages of allowed origins. Without `auth.oidc` there is nothing here.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerPreflight, allowOrigin } from "./cors.ts";
import { sendJson } from "./send-json.ts";
import { SCOPE, type TokenDoor } from "./token-door.ts";

const PATH = "/.well-known/oauth-protected-resource";
const PATHS: ReadonlySet<string> = new Set([PATH, `${PATH}/mcp`]);

interface WellKnownRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly route: { readonly path: string };
  /** The allowed origin whose page asks. */
  readonly foreign: string | null;
}

/** False: the request is for something else. */
export const answerWellKnown = (tokens: TokenDoor | null, request: WellKnownRequest): boolean => {
  const { req, res, route, foreign } = request;
  if (tokens === null || !PATHS.has(route.path)) return false;
  const isPreflight = req.method === "OPTIONS" && foreign !== null;
  if (!isPreflight && req.method !== "GET" && req.method !== "HEAD") return false;
  if (foreign !== null) allowOrigin(res, foreign);
  if (isPreflight) {
    answerPreflight(req, res);
    return true;
  }
  const metadata = {
    resource: tokens.resource(),
    authorization_servers: [tokens.issuer],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
    resource_name: "Bailiwick",
  };
  sendJson(res, { status: 200, text: JSON.stringify(metadata), headers: { "Cache-Control": "max-age=300" } });
  return true;
};
