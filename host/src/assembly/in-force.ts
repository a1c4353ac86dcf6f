/**
 * What was in force when the host last wrote it down, so that what was changed while it was stopped is recorded at its next
 * start like any other change. It decides nothing: whoever is in charge of a setting compares.
 */
import type { HostState, StateWrite } from "../kernel/evidence.ts";

export interface InForce {
  /** Null: nothing is known of it, as at the first start. */
  last(name: string): string | null;
  /** The names that something is known of. */
  names(): Iterable<string>;
  /** Belongs into the commit of the event that tells of the change. */
  write(name: string, value: string): StateWrite;
}

const SPACE = "in-force";

export const readInForce = (state: Pick<HostState, "entries">): InForce => {
  const known = new Map(state.entries(SPACE));
  return {
    last: (name) => known.get(name) ?? null,
    names: () => known.keys(),
    write: (name, value) => ({ space: SPACE, key: name, value }),
  };
};
