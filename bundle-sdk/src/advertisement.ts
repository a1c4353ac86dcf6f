/**
 * What a host said in the handshake about the extension. Hosts that speak through an older MCP library can only say it under
 * `experimental`. Whatever is not as it should be counts as not offered.
 */
import { HOST_RESOURCES } from "./host-resources-key.ts";
import { isRecord } from "./is-record.ts";

export interface Advertisement {
  readonly read: boolean;
  readonly list: boolean;
  readonly schemes: readonly string[];
}

const NOTHING: Advertisement = Object.freeze({ read: false, list: false, schemes: Object.freeze([]) });

export const readAdvertisement = (clientCapabilities: unknown): Advertisement => {
  if (!isRecord(clientCapabilities)) return NOTHING;
  const { extensions, experimental } = clientCapabilities;
  const place = [extensions, experimental].filter(isRecord).find((map) => Object.hasOwn(map, HOST_RESOURCES));
  const said = place?.[HOST_RESOURCES];
  if (!isRecord(said)) return NOTHING;
  const { schemes } = said;
  return {
    read: isEnabled(said["read"]),
    list: isEnabled(said["list"]),
    schemes: Array.isArray(schemes) ? schemes.filter((scheme) => typeof scheme === "string") : [],
  };
};

const isEnabled = (operation: unknown): boolean => isRecord(operation) && operation["enabled"] === true;
