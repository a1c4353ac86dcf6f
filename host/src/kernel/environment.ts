/** Environment capabilities: what tools require and the host declares. One answer for listing, gate, search and explain. */
import type { ListedTool } from "./provider.ts";
import type { Refusal } from "./refusal.ts";

export interface Requirements {
  /** The tool's own, then the operator's; order and duplicates kept. */
  readonly required: readonly string[];
  /** Those of `required` that are not declared for its provider. */
  readonly missing: readonly string[];
}

/** Null: what the tool says cannot be read, so it may not run. The same object while nothing changed. */
export type RequirementsOf = (provider: string, tool: ListedTool, flatName: string) => Requirements | null;

export interface DeclaredCapabilities {
  /** For every provider. */
  readonly declared: readonly string[];
  /** What is added for the tools of one. */
  readonly providers: Readonly<Record<string, readonly string[]>>;
}

export interface CapabilitiesChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** False: nothing could be written, and the next start of the host has what the configuration says. */
  readonly persisted: boolean;
}

/** The list as people change it. Recorded before it is in force. */
export interface EnvironmentAdmin {
  declared(): DeclaredCapabilities;
  /**
   * Replaces the host's list. Refusal `bad_request` for what is no list of names. `by`: a principal's id. `before`: the list
   * that this one was made from; Refusal `stale_surface` where it is another one by now. Absent: whatever it is.
   */
  declare(declared: readonly string[], by: string, before?: readonly string[]): Promise<CapabilitiesChange>;
  /** Somebody wanted to change it who may not; that is recorded, seldom for each. */
  turnedAway(refusal: Refusal, by: string): void;
}
