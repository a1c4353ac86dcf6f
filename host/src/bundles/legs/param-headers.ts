/** The headers in which a modern HTTP server wants to see arguments, computed from the arguments that are sent. */
import { argumentAt, type ParamHeader } from "../../kernel/param-headers.ts";
import { headerValue } from "./http-headers.ts";

/** `params` are the members of a `tools/call`. */
export const paramHeaders = (declared: readonly ParamHeader[], params: string): Record<string, string> => {
  const { arguments: args } = JSON.parse(`{${params}}`) as { arguments?: unknown };
  const headers: Record<string, string> = {};
  for (const { header, path } of declared) {
    const value = argumentAt(args, path);
    if (typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)) {
      headers[`mcp-param-${header.toLowerCase()}`] = headerValue(String(value));
    }
  }
  return headers;
};
