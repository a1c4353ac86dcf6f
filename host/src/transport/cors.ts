/** Headers for pages of other sites that the operator allowed. */
import type { IncomingMessage, ServerResponse } from "node:http";

const ALLOWED =
  "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, X-Workspace-Id, Last-Event-ID";
/** Tools name these themselves, and the protocol of browsers has no pattern for them: those that are asked for are allowed. */
const PARAM = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/i;

export const allowOrigin = (res: ServerResponse, origin: string): void => {
  res.setHeader("Access-Control-Allow-Origin", origin);
  res.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After");
  res.setHeader("Vary", "Origin");
};

export const answerPreflight = (req: IncomingMessage, res: ServerResponse): void => {
  const asked = (req.headers["access-control-request-headers"] ?? "").split(",").map((name) => name.trim());
  res.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
  res.setHeader("Access-Control-Allow-Headers", [ALLOWED, ...asked.filter((name) => PARAM.test(name))].join(", "));
  res.setHeader("Access-Control-Max-Age", "600");
  res.writeHead(204).end();
};
