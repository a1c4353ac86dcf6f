/**
 * What the host says of itself when a client opens: versions, capabilities, instructions. On `/mcp` everything is
 * announced, since providers come and go; on one provider's endpoint only what that provider has.
 */
import type { HostInfo } from "../kernel/host-info.ts";
import type { Surface } from "../kernel/surface.ts";
import { TASKS_EXTENSION } from "../kernel/tasks.ts";
import { META_SERVER_INFO, MODERN_VERSION } from "./protocol.ts";

export type Feature = "tools" | "prompts" | "resources" | "completions" | "skills" | "directories";
export type Features = Readonly<Record<Feature, boolean>>;

const ALL: Features = {
  tools: true,
  prompts: true,
  resources: true,
  completions: true,
  skills: true,
  directories: true,
};
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";
const DISCOVER_TTL_MS = 60_000;

/** A provider that is still starting has not said what it has; announcing too little would last. */
export const featuresOf = (surface: Surface, provider: string | null): Features =>
  provider === null || !surface.settled ? ALL : surface.has();

const capabilitiesOf = (features: Features): Record<string, object> => ({
  ...(features.tools && { tools: { listChanged: true } }),
  ...(features.prompts && { prompts: { listChanged: true } }),
  ...(features.resources && { resources: { listChanged: true, subscribe: true } }),
  ...(features.completions && { completions: {} }),
  ...(features.skills && { extensions: skillsOf(features) }),
});

const skillsOf = ({ directories }: Features): object => ({ [SKILLS_EXTENSION]: { directoryRead: directories } });

/** Tasks are of the modern era only, and begun by tools. */
const modernCapabilitiesOf = (features: Features): Record<string, object> => {
  const extensions = {
    ...(features.skills && skillsOf(features)),
    ...(features.tools && { [TASKS_EXTENSION]: {} }),
  };
  return { ...capabilitiesOf(features), ...(Object.keys(extensions).length > 0 && { extensions }) };
};

export interface Described {
  readonly info: HostInfo;
  readonly surface: Surface;
  readonly provider: string | null;
}

const serverInfo = (info: HostInfo): object => ({ name: "bailiwick", version: info.version });

export const describeLegacy = ({ info, surface, provider }: Described, protocolVersion: string): string =>
  JSON.stringify({
    protocolVersion,
    capabilities: { ...capabilitiesOf(featuresOf(surface, provider)), logging: {} },
    serverInfo: serverInfo(info),
    instructions: surface.instructions() ?? undefined,
  });

export const describeModern = ({ info, surface, provider }: Described): string =>
  JSON.stringify({
    resultType: "complete",
    ttlMs: surface.settled ? DISCOVER_TTL_MS : 0,
    cacheScope: "private",
    supportedVersions: [MODERN_VERSION],
    capabilities: modernCapabilitiesOf(featuresOf(surface, provider)),
    instructions: surface.instructions() ?? undefined,
    _meta: { [META_SERVER_INFO]: serverInfo(info) },
  });
