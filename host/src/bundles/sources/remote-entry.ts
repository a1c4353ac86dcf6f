/** The `url` entry that stands for a server which a registry knows by its remote address only. Pure. */
import { deriveProviderName, type NameEntry } from "@bailiwick/contract";
import type { Refusal } from "../../kernel/refusal.ts";
import { checkHostBlock } from "../check-host-block.ts";
import { writeFinding, type ManifestProfile } from "../manifest.ts";
import { offeredExtensions, type OfferingConfig } from "../offered-extensions.ts";
import { refuseSource } from "./refuse-source.ts";
import type { RemoteOffer } from "./registry.ts";

export interface RemoteEntry {
  /** As it would stand in the configuration. */
  readonly entry: Record<string, unknown>;
  /** Host extensions without which it is not to be started. */
  readonly required: readonly string[];
}

/** Throws Refusal where the descriptor asks for what such an entry is not offered. */
export const remoteEntry = (
  entry: NameEntry,
  offer: RemoteOffer,
  { profile, offering }: { readonly profile: ManifestProfile; readonly offering: OfferingConfig },
): RemoteEntry => {
  const made = writeEntry(entry, offer);
  if (offer.meta === null) return { entry: made, required: [] };
  const { errors, required } = checkHostBlock(offer.meta, profile);
  const { hostExtensions } = entry;
  const provided = offeredExtensions({ kind: "url", url: offer.url, hostExtensions }, offering);
  const missing = required.filter((key) => !provided.includes(key));
  if (errors.length === 0 && missing.length === 0) return { entry: made, required };
  const offered = provided.length === 0 ? "(none)" : provided.join(", ");
  const lines = errors.map(writeFinding);
  const why =
    lines.length > 0 ? `its descriptor is not valid: ${lines.join("; ")}` : `it requires ${missing.join(", ")}`;
  throw refuseSource(
    `${entry.name}: ${why}. Provided: ${offered}. Refusing to install.`,
    missing.length > 0
      ? `If this remote server may read the workspace, set "hostExtensions": ${JSON.stringify(missing)} on the entry.`
      : "Ask its author to correct the descriptor.",
    {
      bundle: entry.name,
      reason: lines.length > 0 ? "schema-invalid" : "capability-unavailable",
      missing,
      provided,
      errors: lines,
    },
  );
};

export const refuseRemote = (entry: NameEntry, offer: RemoteOffer, registry: string): Refusal =>
  refuseSource(
    `${registry} has ${entry.name} as a remote server only; there is nothing to install.`,
    `Use this entry in its place: ${JSON.stringify(writeEntry(entry, offer))}`,
  );

const writeEntry = (entry: NameEntry, { url, transport }: RemoteOffer): Record<string, unknown> => {
  const serverName = entry.serverName ?? deriveProviderName(entry.name);
  const { hostExtensions } = entry;
  return { url, serverName, transport, ...(hostExtensions === null ? {} : { hostExtensions }) };
};
