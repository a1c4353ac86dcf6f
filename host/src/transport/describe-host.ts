/**
 * What the host says of itself when a client opens: versions, capabilities, instructions. On `/mcp` everything is
 * announced, since providers come and go; on one provider's endpoint only what that provider has.
 */
import type { HostInfo } from "../kernel/host-info.ts";
import type { Surface } from "../kernel/surface.ts";
import { META_SERVER_INFO, MODERN_VERSION } from "./protocol.ts";

export type Feature = "tools" | "prompts" | "resources" | "completions";
export type Features = Readonly<Record<Feature, boolean>>;

const ALL: Features = { tools: true, prompts: true, resources: true, completions: true };
const DISCOVER_TTL_MS = 60_000;

/** A provider that is still starting has not said what it has; announcing too little would last. */
export const featuresOf = (surface: Surface, provider: string | null): Features =>
  provider === null || !surface.settled ? ALL : surface.has();

const capabilitiesOf = (features: Features): Record<string, object> => ({
  ...(features.tools && { tools: { listChanged: true } }),
  ...(features.prompts && { prompts: { listChanged: true } }),
  ...(features.resources && { resources: { listChanged: true } }),
  ...(features.completions && { completions: {} }),
});

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

/** Modern streams of change notices are not offered yet, so the lists do not announce any. */
export const describeModern = ({ info, surface, provider }: Described): string => {
  const features = featuresOf(surface, provider);
  const names = (Object.keys(ALL) as Feature[]).filter((feature) => features[feature]);
  return JSON.stringify({
    resultType: "complete",
    ttlMs: surface.settled ? DISCOVER_TTL_MS : 0,
    cacheScope: "private",
    supportedVersions: [MODERN_VERSION],
    capabilities: Object.fromEntries(names.map((name) => [name, {}])),
    instructions: surface.instructions() ?? undefined,
    _meta: { [META_SERVER_INFO]: serverInfo(info) },
  });
};
