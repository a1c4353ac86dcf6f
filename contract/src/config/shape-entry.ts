/** Sorts a parsed entry into its kind and drops the fields that its kind has not. */
import type { BundleEntry, ParsedEntry, Sandbox } from "./config.ts";

const sandboxOf = (own: ParsedEntry["sandbox"], whole: Sandbox): Sandbox => {
  if (own === undefined) return whole;
  return typeof own === "string" ? { ...whole, profile: own } : own;
};

export const shapeEntry = (entry: ParsedEntry, sandbox: Sandbox): BundleEntry => {
  const { trustScore, ui, pinning, concurrency, timeoutMs, maxTimeoutMs, enabled } = entry;
  const base = {
    protected: entry.protected,
    trustScore,
    ui,
    pinning,
    concurrency,
    timeoutMs,
    maxTimeoutMs,
    enabled,
    hostExtensions: entry.hostExtensions ?? null,
    isolation: entry.isolation ?? "shared",
  };
  if (entry.url !== undefined) {
    const { auth } = entry.transport;
    // Each person's own token goes over that person's own connection, unless the file says otherwise. A host that signs in
    // as itself has one token for all.
    const personal = auth.type === "oauth" && auth.grant === "authorization_code";
    const isolation = entry.isolation ?? (personal ? "principal" : "shared");
    return {
      kind: "url",
      url: entry.url,
      serverName: entry.serverName ?? "",
      transport: entry.transport,
      ...base,
      isolation,
    };
  }
  const { env, userConfig, allowedEnv } = entry;
  const process = {
    ...base,
    env,
    userConfig,
    allowedEnv,
    serverName: entry.serverName ?? null,
    sandbox: sandboxOf(entry.sandbox, sandbox),
  };
  if (entry.path !== undefined) return { kind: "path", path: entry.path, ...process };
  return { kind: "name", name: entry.name ?? "", version: entry.version ?? null, args: entry.args, ...process };
};
