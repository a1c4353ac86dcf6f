/** What the documents of `capabilities://` and the tools of compose need of the host, the same for every workspace. */
import type { Config } from "@bailiwick/contract";
import type { CallPath } from "../call/create-call-path.ts";
import type { CallTimes } from "../compose/documents/call-times.ts";
import type { HostFacts } from "../compose/documents/host-document.ts";
import type { Archive } from "../kernel/archive.ts";
import { covers } from "../kernel/covers.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { Models } from "../kernel/model.ts";
import type { Principal } from "../kernel/principal.ts";
import { TASKS_EXTENSION } from "../kernel/tasks.ts";
import { PROTOCOL_VERSION } from "../transport/chp/chp-answers.ts";
import { SKILLS_EXTENSION } from "../transport/describe-host.ts";
import { LEGACY_VERSIONS, MODERN_VERSION } from "../transport/protocol.ts";
import { callOn } from "./call-on.ts";
import type { NotedTimes } from "./note-times.ts";
import type { OpenedRoots } from "./open-roots.ts";
import type { ComposeServing } from "./serve-compose.ts";
import { HOST_VERSION } from "./version.ts";

export interface ComposePartsOptions {
  readonly path: Pick<CallPath, "surfaceFacts" | "handleCall" | "environment" | "policies">;
  readonly models: () => Models;
  readonly times: NotedTimes;
  readonly info: HostInfo;
  readonly archive: Pick<Archive, "identity" | "last">;
  readonly roots: Pick<OpenedRoots, "of">;
  /** As it was when the host started. */
  readonly config: Config;
}

export interface ComposeParts extends Pick<ComposeServing, "callOn" | "surfaceFacts" | "server" | "host" | "models"> {
  timesOf(workspace: string): CallTimes;
}

const NAME = "bailiwick";
/** `/mcp` beside the pipe of `bailiwick stdio`, REST, CHP. */
const DOORS = ["mcp", "rest", "chp", "stdio"] as const;
/** It stands in the host's own dependencies, and is what its MCP clients are made of. */
const MCP_SDK = "2.4.0";

export const composeParts = (options: ComposePartsOptions): ComposeParts => {
  const { path } = options;
  const runtime = { platform: process.platform, node: process.versions.node, mcpSdk: MCP_SDK };
  const mcpVersions = [MODERN_VERSION, ...LEGACY_VERSIONS] as const;
  return {
    callOn: callOn(path),
    surfaceFacts: path.surfaceFacts,
    models: options.models,
    timesOf: (workspace) => options.times.of(workspace),
    server: () => ({ name: NAME, version: HOST_VERSION, mcpVersions, runtime }),
    host: async (reader) => hostFacts(reader, options),
  };
};

const hostFacts = (reader: Principal, options: ComposePartsOptions): Omit<HostFacts, "states"> => {
  const { path, info, archive, config } = options;
  const { workspace } = reader;
  const { assurance, key_id: keyId } = archive.identity();
  const { version, maxRisk } = path.policies.of(workspace);
  const { durability } = config.evidence;
  return {
    host: {
      id: info.id,
      version: info.operatorVersion,
      kind: info.kind,
      protocolVersion: PROTOCOL_VERSION,
      assurance: String(assurance),
      keyId: typeof keyId === "string" ? keyId : null,
    },
    declaredCapabilities: path.environment.declaredFor("compose"),
    extensions: { [SKILLS_EXTENSION]: { directoryRead: true }, [TASKS_EXTENSION]: {} },
    roots: options.roots
      .of({ workspace, clientRoots: null })
      .rows.map((row) => ({ name: row.name, usable: row.path !== null })),
    policy: { version, digest: version, maxRiskTier: maxRisk },
    evidence: {
      store: durability === "memory" ? "memory" : "local-append-only",
      durability,
      position: covers(reader.permissions, "evidence:read") ? archive.last() : null,
    },
    manifest: config.chp.mount === null ? null : `${config.chp.mount}/host`,
    doors: config.chp.mount === null ? DOORS.filter((door) => door !== "chp") : DOORS,
  };
};
