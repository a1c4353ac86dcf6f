/** Whether the entry in a client's file is the one that would be written, whichever key stands in it. Pure. */
import { isDeepStrictEqual } from "node:util";

const BEARER = /^Bearer .+/;

type Json = Readonly<Record<string, unknown>>;

const withoutKey = (entry: unknown): unknown => {
  const { headers, ...rest } = (typeof entry === "object" && entry !== null ? entry : {}) as Json;
  const { Authorization: authorization, ...others } = (headers ?? {}) as Json;
  const hasKey = typeof authorization === "string" && BEARER.test(authorization);
  return { ...rest, headers: others, hasKey };
};

export const isConnected = (before: unknown, entry: object): boolean =>
  before !== null && isDeepStrictEqual(withoutKey(before), withoutKey(entry));
