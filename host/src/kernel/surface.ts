/**
 * What one principal may see and call now. Listing and calling read the same object.
 */
import type { Principal } from "./principal.ts";
import type { RawJson } from "./raw-json.ts";
import type { ProviderStatus } from "./provider.ts";

export interface ToolRow {
  /** Flat name, `provider__tool`. */
  readonly name: string;
  readonly provider: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly state: "invokable" | "hosted" | "discoverable" | "deprecated" | "suspended" | "disabled" | "unavailable";
  readonly reason: string | null;
  readonly next: string | null;
  readonly definition: string;
}

/** Serialised lists, each a JSON array as it goes onto the wire, made once per surface. */
export interface Surface {
  readonly token: string;
  /** False while any provider it shows is starting: then lists carry ttlMs 0. */
  readonly settled: boolean;
  tools(): RawJson;
  prompts(): RawJson;
  resources(): RawJson;
  templates(): RawJson;
  /** The host's text, then each provider's under its name; null when there is none. */
  instructions(): string | null;
  /** What the endpoint has at all, for `capabilities`. */
  has(): {
    readonly tools: boolean;
    readonly prompts: boolean;
    readonly resources: boolean;
    readonly completions: boolean;
  };
  rows(query?: string): readonly ToolRow[];
}

export interface Surfaces {
  /** The surface of a principal on `/mcp` (provider null) or on one provider's endpoint; null: no such provider to see. */
  of(principal: Principal, provider: string | null): Surface | null;
  /** All there are, or those of which this principal may name something, with as many tools as it sees. */
  providers(
    principal?: Principal,
  ): readonly { readonly name: string; readonly status: ProviderStatus; readonly tools: number }[];
  /** Called after any change; returns the function that ends it. At most once in 50 ms. */
  onChange(listener: () => void): () => void;
}
