/** What `bailiwick mcp` and a running host agree on before a connection becomes a pipe. */
export const STDIO_PROTOCOL = "bailiwick-stdio";
export const STDIO_PATH = "/v1/stdio";
/** A line of its own, after the last one of the client: a connection that ends without it was lost. */
export const END_OF_INPUT = "\u0004";
