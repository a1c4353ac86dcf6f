/** What of `auth` would be lost without a word, or open the host to others: told before anything is opened. */
import { formatFinding, type Config } from "@bailiwick/contract";
import type { ChpKey } from "../call/identity/parse-chp-key.ts";
import { principalFindings } from "../call/identity/principal-findings.ts";
import { readChpKeys } from "../call/identity/read-chp-keys.ts";
import { isLoopback } from "../kernel/is-loopback.ts";
import { ConfigError } from "./config-error.ts";

export interface AuthSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The addresses that are listened on. */
  readonly hosts: readonly string[];
}

/** The keys of CHP. Throws ConfigError. */
export const checkAuth = ({ auth }: Config, { env, hosts }: AuthSurroundings): readonly ChpKey[] => {
  const { keys, findings } = readChpKeys(auth.chpKeys, { env, loopback: hosts.every(isLoopback) });
  // What a line that is no key was to be called is not known.
  const unnamed = findings.length > 0 ? [] : principalFindings({ ...auth, keyNames: keys.map(({ name }) => name) });
  const all = [...findings, ...unnamed];
  if (all.length === 0) return keys;
  throw new ConfigError(["This configuration cannot be used:", ...all.map(formatFinding)].join("\n"));
};

/** Those that the host listens on by its configuration. */
export const listenedHosts = ({ http, chp }: Config): readonly string[] => [
  http.host,
  ...(chp.listen === undefined ? [] : [chp.listen.host]),
];
