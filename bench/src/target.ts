/**
 * Where a subject listens and how it is spoken to. Crosses to the load client as JSON.
 */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `http`: the answer is in the response. `sse`: the old transport, where answers come on one stream. `chp`: no MCP. */
  readonly wire: "http" | "sse" | "chp";
  /** Over CHP: calls bring no id of their own, so the host makes it and keeps no answer. */
  readonly hostIds?: true;
  /** The echo tool as this subject names it. */
  readonly tool: string;
}

/** Writes a body into a whole request; the head is made once. */
export const createPost = (url: URL, headers: Readonly<Record<string, string>>): ((body: string) => string) => {
  const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head =
    `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream\r\n${extra.join("")}Content-Length: `;
  return (body) => `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
