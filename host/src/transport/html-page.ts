/** A whole page for a person, as plain as it gets: no script, no style, nothing loaded, framed by nobody. */
import type { ServerResponse } from "node:http";

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

export interface Page {
  readonly status: number;
  readonly title: string;
  /** HTML; what comes from elsewhere is escaped in it. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const sendPage = (res: ServerResponse, { status, title, body, headers }: Page): void => {
  if (res.headersSent || res.destroyed) return;
  const heading = escapeHtml(title);
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${heading} · Bailiwick</title>
<h1>${heading}</h1>
${body}
</html>
`;
  res.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    // Not `no-referrer`: with that, browsers send the form of a page with `Origin: null`, which no door lets in.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    ...headers,
  });
  res.end(html);
};
