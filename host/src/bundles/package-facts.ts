/** What is known of a bundle's package since its manifest was last read. */
import type { UserConfigField, Manifest } from "./manifest.ts";
import type { Located } from "./located.ts";
import { readUi, type UiReading } from "./read-ui.ts";

export interface PackageFacts extends Pick<Located, "origin" | "digest" | "certificationLevel" | "trustScore"> {
  readonly name: string;
  readonly version: string;
  readonly description: string | null;
  readonly warnings: readonly string[];
  /** Whether its process is shut in. */
  readonly sandbox: "bwrap" | "off";
  readonly ui: UiReading["ui"];
  readonly placements: UiReading["placements"];
  readonly userConfig: Readonly<Record<string, UserConfigField>>;
}

export interface FactsOptions {
  readonly provider: string;
  readonly manifest: Manifest;
  readonly located: Located;
  readonly warnings: readonly string[];
  readonly sandbox: PackageFacts["sandbox"];
}

export const packageFacts = ({ provider, manifest, located, warnings, sandbox }: FactsOptions): PackageFacts => {
  const { ui, placements, warnings: odd } = readUi(manifest._meta, provider);
  const { origin, digest, certificationLevel, trustScore } = located;
  return {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description ?? null,
    warnings: [...warnings, ...odd],
    sandbox,
    ui,
    placements,
    userConfig: manifest.user_config ?? {},
    origin,
    digest,
    certificationLevel,
    trustScore,
  };
};
