/**
 * Turns what a request failed with into one of the errors that authors match on. What is no answer of the host (a closed
 * connection, a cancelled call) stays what it is.
 */
import { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";
import { InvalidParams } from "./invalid-params.ts";
import { isRecord } from "./is-record.ts";
import { RateLimited } from "./rate-limited.ts";
import { ResourceNotFound } from "./resource-not-found.ts";
import { ResponseTooLarge } from "./response-too-large.ts";

/** For a host that says "later" without saying when. */
const DEFAULT_RETRY_MS = 1_000;
/** Version 1 of the MCP library writes this before the message of every error. */
const LIBRARY_PREFIX = /^MCP error -?\d+: /;

/** `uri` is the one that was asked for; null: none was. */
export const explainFailure = (thrown: unknown, uri: string | null): unknown => {
  if (thrown instanceof HostResourceError) return thrown;
  const fault = faultOf(thrown);
  return fault === null ? thrown : errorOf(fault, { uri, cause: thrown });
};

const faultOf = (thrown: unknown): HostResourceFault | null => {
  if (typeof thrown !== "object" || thrown === null || thrown instanceof DOMException) return null;
  const { code, message, data } = thrown as { code?: unknown; message?: unknown; data?: unknown };
  if (!Number.isSafeInteger(code)) return null;
  const text = typeof message === "string" ? message.replace(LIBRARY_PREFIX, "") : "The host answered with an error.";
  return { code: ownCode(code as number, data), message: text, data };
};

/** Version 2 of the MCP library makes -32602 of a -32002 that names a URI, and only of that is the URI all there is. */
const ownCode = (code: number, data: unknown): number =>
  code === -32602 && isRecord(data) && typeof data["uri"] === "string" && Object.keys(data).length === 1
    ? -32002
    : code;

const errorOf = (
  fault: HostResourceFault,
  { uri, cause }: { readonly uri: string | null; readonly cause: unknown },
): HostResourceError => {
  const data = isRecord(fault.data) ? fault.data : {};
  const options = { cause };
  switch (fault.code) {
    case -32002:
      return new ResourceNotFound(
        { ...fault, uri: typeof data["uri"] === "string" ? data["uri"] : (uri ?? "") },
        options,
      );
    case -32004:
      return new RateLimited({ ...fault, retryAfterMs: countOf(data["retryAfterMs"]) ?? DEFAULT_RETRY_MS }, options);
    case -32005:
      return new ResponseTooLarge(
        { ...fault, size: countOf(data["size"]), maxSize: countOf(data["maxSize"]) },
        options,
      );
    case -32602:
      return new InvalidParams(fault, options);
    default:
      return new HostResourceError(fault, options);
  }
};

const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
