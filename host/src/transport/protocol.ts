/** Names and versions of the protocol that the doors share. */
export const MODERN_VERSION = "2026-07-28";
export const LATEST_LEGACY_VERSION = "2025-11-25";
/** The one legacy version in which a message may be an array. */
export const BATCH_VERSION = "2025-03-26";
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export const OWN_META_PREFIX = "io.modelcontextprotocol/";
export const META_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
export const META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export const LOG_LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Versions are dates, so later ones compare greater. */
export const isModernVersion = (version: string): boolean => version >= MODERN_VERSION;
