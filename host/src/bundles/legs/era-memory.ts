/**
 * What is known of a server's era from earlier, and who keeps what is found out.
 */
export type Era = "legacy" | "modern";

export interface EraMemory {
  /** Null: it is asked. */
  readonly known: Era | null;
  /** The server itself showed it; a time-out or a refusal of the whole endpoint shows nothing. */
  readonly learned: (era: Era) => void;
}

export const NO_MEMORY: EraMemory = { known: null, learned: () => {} };
export const KNOWN_LEGACY: EraMemory = { known: "legacy", learned: () => {} };
