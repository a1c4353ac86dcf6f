/** `capabilities://`: what the family holds, and in which order somebody who knows nothing reads it. Pure. */
import { CAPABILITY_TYPES, uriOfType, type CapabilityType } from "./family.ts";

export interface OverviewFacts {
  readonly name: string;
  readonly version: string;
  /** The token of the reader's surface. */
  readonly surfaceVersion: string;
  /** How many things a document lists; a type that is no list has none. */
  readonly counts: Readonly<Record<"tools" | "resources" | "generators" | "skills", number>>;
}

const FORMAT = "capabilities/1.3";
const WORKFLOW = ["server", "tools", "generators", "resources"] as const;

export const overviewDocument = ({ name, version, surfaceVersion, counts }: OverviewFacts): object => ({
  name,
  version,
  format: FORMAT,
  surface_version: surfaceVersion,
  entries: CAPABILITY_TYPES.map((type) => entryOf(type, counts)),
  workflow: WORKFLOW.map(uriOfType),
});

const entryOf = ({ type, purpose, cached, targetMs }: CapabilityType, counts: OverviewFacts["counts"]): object => ({
  uri: uriOfType(type),
  purpose,
  mime_type: "application/json",
  cached,
  target_ms: targetMs,
  count: type === "server" || type === "host" ? null : counts[type],
});
