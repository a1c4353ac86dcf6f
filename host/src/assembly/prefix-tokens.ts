/** A part of the token store that knows nothing of the rest. */
import type { TokenStore } from "../kernel/token-store.ts";

export const prefixTokens = (store: TokenStore, prefix: readonly string[]): TokenStore => ({
  read: (key) => store.read([...prefix, ...key]),
  write: (key, text) => store.write([...prefix, ...key], text),
  remove: (key) => store.remove([...prefix, ...key]),
  keys: (start) => store.keys([...prefix, ...start]).map((key) => key.slice(prefix.length)),
});
