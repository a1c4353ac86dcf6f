/** Headers for pages of other sites that the operator allowed. */
import type { ServerResponse } from "node:http";

export const allowOrigin = (res: ServerResponse, origin: string): void => {
  res.setHeader("Access-Control-Allow-Origin", origin);
  res.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After");
  res.setHeader("Vary", "Origin");
};

export const answerPreflight = (res: ServerResponse): void => {
  res.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
  res.setHeader(
    "Access-Control-Allow-Headers",
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID",
  );
  res.setHeader("Access-Control-Max-Age", "600");
  res.writeHead(204).end();
};
