/** What a caller may be told about each tool that it sees on an endpoint, from the very surface that it lists and calls from. */
import type { Principal } from "./principal.ts";
import type { ListedTool } from "./provider.ts";
import type { RiskTier } from "./risk-tier.ts";
import type { Lifecycle } from "./stages.ts";
import type { Surface } from "./surface.ts";

export interface ToolFacts {
  /** As the endpoint lists it. */
  readonly name: string;
  readonly flatName: string;
  /** What the outside knows it by. */
  readonly id: string;
  readonly provider: string;
  readonly tool: ListedTool;
  readonly version: string;
  readonly lifecycle: Lifecycle;
  readonly required: readonly string[];
  readonly missing: readonly string[];
  readonly risk: RiskTier;
  readonly approvalRequired: boolean;
  /** What an operator says of its time; null: nothing. */
  readonly timeoutMs: number | null;
}

export interface SurfaceFacts {
  readonly surface: Surface;
  /** In the order of `tools/list`. */
  readonly tools: readonly ToolFacts[];
  /** Resources and templates that are listed and served, without those that are in no catalogue. */
  uris(): readonly SeenUri[];
}

export interface SeenUri {
  readonly provider: string;
  /** A URI, or a template, as the endpoint shows it. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly mimeType: string | null;
  /** Its provider runs. */
  readonly readable: boolean;
}

/** Of `/mcp` (null) or of one provider's endpoint; null: no such provider to see. The same object while nothing changed. */
export type SurfaceFactsOf = (principal: Principal, endpoint: string | null) => SurfaceFacts | null;
