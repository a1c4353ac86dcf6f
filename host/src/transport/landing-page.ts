/** The page for a person who opens the host's address in a browser: what this is and how to connect. No secrets. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeHtml } from "./html-page.ts";
import type { ListenerDeps } from "./listener-deps.ts";

const page = (mcpUrl: string, noAuth: boolean): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Bailiwick</title>
<h1>Bailiwick</h1>
<p>This is a capability host. It offers the tools of many MCP servers at one address, decides each call, and keeps a
record of it.</p>
<p>Connect an MCP client to <code>${escapeHtml(mcpUrl)}</code> (Streamable HTTP), with the header
<code>Authorization: Bearer &lt;key&gt;</code>. The key is in the file that <code>bailiwick serve</code> names when it
starts; <code>bailiwick key create</code> makes more.</p>
${noAuth ? "<p><strong>Started with --no-auth: whoever reaches this address may call every tool.</strong></p>" : ""}
</html>
`;

export const landingPage = (deps: ListenerDeps, req: IncomingMessage, res: ServerResponse): void => {
  const origin = deps.limits.publicOrigin ?? `http://${req.headers.host ?? "localhost"}`;
  const html = page(`${origin}/mcp`, deps.noAuth);
  res.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
  res.end(html);
};
