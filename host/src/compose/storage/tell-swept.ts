/** How what goes by itself is told of before it goes. */
import type { StoredVersion } from "./stored-version.ts";

/** What is about to go by itself; may be nothing. */
interface Swept {
  readonly content_id: string;
  readonly versions: readonly StoredVersion[];
  /** Their texts went before. */
  readonly metadataOnly: boolean;
}

/** Awaited before anything of it is removed; where it rejects, that stays. */
export type TellSwept = (swept: Swept) => Promise<void>;

/** For what somebody asked for: the call is on record. */
export const untold: TellSwept = async () => {};
