/** Pieces of text that every conversation with an upstream is made of. */
export const clientInfo = (hostVersion: string): string => JSON.stringify({ name: "bailiwick", version: hostVersion });

/** Member of `extensions`: the host shows the apps of a server. */
export const UI_EXTENSION = `"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}`;

/** A line break between tokens is a blank to JSON and the end of the message to a pipe; inside strings there is none. */
export const oneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replaceAll("\n", " ").replaceAll("\r", " ") : text;
