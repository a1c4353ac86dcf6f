/**
 * Finds out which era a server speaks and opens the conversation. The evidence for "modern" is an answer that only a
 * modern server gives; everything else, silence included, is legacy. Time-outs and refusals of a whole HTTP endpoint are
 * not evidence: they reject.
 */
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import type { Correlator } from "./correlator.ts";
import { MODERN_VERSION } from "./envelope.ts";
import type { EraMemory } from "./era-memory.ts";
import { clientInfo } from "./frame-parts.ts";
import { legacyCapabilities, legacyDialect, LEGACY_VERSIONS, modernDialect, type Dialect } from "./frame.ts";
import { NotStreamable } from "./http-status.ts";
import { isObject, type JsonObject, type Reply } from "./read-message.ts";

export interface Opening {
  readonly era: "legacy" | "modern";
  /** Null: the server did not say; then every list is tried. */
  readonly capabilities: JsonObject | null;
  readonly serverVersion: string | null;
  readonly instructions: string | null;
}

interface Agreed extends Omit<Opening, "era"> {
  readonly dialect: Dialect;
}

export interface HandshakeOptions {
  readonly correlator: Correlator;
  readonly hostVersion: string;
  /** What the host offers to this server. */
  readonly port: ExtensionPort;
  readonly signal: AbortSignal;
  /** Sends `notifications/initialized`, in the dialect that was agreed. */
  readonly initialized: () => Promise<void>;
  readonly eras: EraMemory;
  /** True: a server that does not answer the question does not know it. False: its network may be slow. */
  readonly silenceTells: boolean;
}

/** The server answered, and does not want to be spoken to like this. */
class InitializeRefused extends Error {
  override readonly name = "InitializeRefused";
}

const PROBE_MS = 3_000;
/** One that was modern before is given the time to start. */
const KNOWN_MODERN_PROBE_MS = 10_000;
const HANDSHAKE_MS = 60_000;
const MODERN_ERRORS = new Set([-32020, -32021, -32022]);
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

export const openConversation = async (options: HandshakeOptions): Promise<Opening> => {
  const { dialect, ...opening } = await agree(options);
  options.correlator.dialect = dialect;
  if (dialect.era === "legacy") await options.initialized();
  return { era: dialect.era, ...opening };
};

/** What the server itself showed is kept for later starts. */
const agree = async (options: HandshakeOptions): Promise<Agreed> => {
  const { eras } = options;
  if (eras.known === "legacy") {
    const agreed = await initialize(options).catch(orNull);
    if (agreed) return agreed;
  }
  const { agreed, shown } = await probe(options);
  if (shown) eras.learned(agreed.dialect.era);
  return agreed;
};

/** A server that refuses what it was known for is asked again. */
const orNull = (error: unknown): null => {
  if (error instanceof InitializeRefused || (error instanceof NotStreamable && error.answered)) return null;
  throw error;
};

interface Probed {
  readonly agreed: Agreed;
  /** False: nothing but a guess that worked. */
  readonly shown: boolean;
}

const probe = async (options: HandshakeOptions): Promise<Probed> => {
  const { correlator, eras, silenceTells } = options;
  correlator.dialect = modernDialect(options.hostVersion, options.port);
  const answer = control(options, "server/discover", "");
  const early = await within(answer, eras.known === "modern" ? KNOWN_MODERN_PROBE_MS : PROBE_MS);
  if (early) return { agreed: await judge(early, options), shown: true };
  // A server that is slow to start, or whose credential is being renewed, may still answer the probe, before or after it
  // refuses to initialize.
  const opened = initialize(options).catch(async (refused: Error) => {
    const reply = await within(answer, silenceTells ? PROBE_MS : HANDSHAKE_MS);
    if (reply && isDiscovery(reply)) return openModern(reply, options);
    throw refused;
  });
  const late = answer.then((reply) => (isDiscovery(reply) ? openModern(reply, options) : opened));
  late.catch(() => {});
  const agreed = await Promise.race([opened, late]);
  return { agreed, shown: silenceTells || agreed.dialect.era === "modern" };
};

/** The answer, or null when it takes longer. */
const within = async (answer: Promise<Reply>, ms: number): Promise<Reply | null> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
};

const judge = (reply: Reply, options: HandshakeOptions): Agreed | Promise<Agreed> => {
  if (isDiscovery(reply)) return openModern(reply, options);
  if (reply.kind === "error" && MODERN_ERRORS.has(reply.code)) return fromModernError(reply, options);
  return initialize(options);
};

const isDiscovery = (reply: Reply): reply is Reply & { kind: "result" } =>
  reply.kind === "result" && Array.isArray(reply.value["supportedVersions"]) && isObject(reply.value["capabilities"]);

const openModern = (reply: Reply & { kind: "result" }, options: HandshakeOptions): Agreed | Promise<Agreed> => {
  const versions = reply.value["supportedVersions"] as unknown[];
  if (!versions.includes(MODERN_VERSION)) return fromVersions(versions, options);
  const meta = reply.value["_meta"];
  return {
    dialect: modernDialect(options.hostVersion, options.port),
    ...describe(reply.value, isObject(meta) ? meta[SERVER_INFO] : null),
  };
};

const fromModernError = (reply: Reply & { kind: "error" }, options: HandshakeOptions): Agreed | Promise<Agreed> => {
  const supported = isObject(reply.data) ? reply.data["supported"] : null;
  if (reply.code === -32022 && Array.isArray(supported) && !supported.includes(MODERN_VERSION)) {
    return fromVersions(supported, options);
  }
  const dialect = modernDialect(options.hostVersion, options.port);
  return { dialect, capabilities: null, serverVersion: null, instructions: null };
};

/** The server speaks the modern way, but not our revision of it. */
const fromVersions = (versions: readonly unknown[], options: HandshakeOptions): Promise<Agreed> => {
  if (versions.some((version) => LEGACY_VERSIONS.includes(String(version)))) return initialize(options);
  const named = versions.map((version) => String(version).slice(0, 40)).slice(0, 10);
  throw new Error(
    `the server speaks the protocol revisions ${named.join(", ")}; this host speaks ` +
      `${[MODERN_VERSION, ...LEGACY_VERSIONS].join(", ")}: update the bundle or the host`,
  );
};

const initialize = async (options: HandshakeOptions): Promise<Agreed> => {
  const { correlator, port } = options;
  correlator.dialect = legacyDialect(LEGACY_VERSIONS[0] as string);
  const reply = await control(
    options,
    "initialize",
    `"protocolVersion":"${correlator.dialect.version}","capabilities":${legacyCapabilities(port.members)},` +
      `"clientInfo":${clientInfo(options.hostVersion)}`,
  );
  if (reply.kind === "error") {
    throw new InitializeRefused(`the server refused to initialize: ${reply.message.slice(0, 500)} (${reply.code})`);
  }
  const version = reply.value["protocolVersion"];
  if (typeof version !== "string" || !LEGACY_VERSIONS.includes(version)) {
    throw new InitializeRefused(
      `the server answered initialize with protocol revision ${String(version).slice(0, 40)}; this host speaks ` +
        `${[MODERN_VERSION, ...LEGACY_VERSIONS].join(", ")}: update the bundle or the host`,
    );
  }
  return { dialect: legacyDialect(version), ...describe(reply.value, reply.value["serverInfo"]) };
};

const describe = (value: JsonObject, info: unknown): Omit<Opening, "era"> => {
  const { capabilities, instructions } = value;
  const version = isObject(info) ? info["version"] : null;
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    serverVersion: typeof version === "string" ? version.slice(0, 100) : null,
    instructions: typeof instructions === "string" ? instructions : null,
  };
};

const control = (options: HandshakeOptions, method: string, params: string): Promise<Reply> =>
  options.correlator.ask({
    method,
    params,
    meta: "",
    name: null,
    signal: options.signal,
    listener: null,
    control: true,
    timeoutMs: HANDSHAKE_MS,
  });
