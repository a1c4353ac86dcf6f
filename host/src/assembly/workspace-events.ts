/** The last events of each workspace, for those who follow it. Kept in memory: evidence has them for good. */
import type { NumberedEvent, WorkspaceEvents } from "../kernel/workspace-event.ts";

const KEPT = 500;

interface Ring {
  last: number;
  wasFollowed: boolean;
  readonly events: NumberedEvent[];
  readonly followers: Set<(event: NumberedEvent) => void>;
}

export interface FollowedEvents extends WorkspaceEvents {
  /** Whether anybody ever followed it: what happened before that, nobody can ask for. */
  wasFollowed(workspace: string): boolean;
}

export const createWorkspaceEvents = (report: (error: unknown) => void): FollowedEvents => {
  const rings = new Map<string, Ring>();
  const ringOf = (workspace: string): Ring => {
    const known = rings.get(workspace) ?? { last: 0, wasFollowed: false, events: [], followers: new Set() };
    rings.set(workspace, known);
    return known;
  };
  const tell = (hear: (event: NumberedEvent) => void, event: NumberedEvent): void => {
    try {
      hear(event);
    } catch (error) {
      report(error);
    }
  };
  return {
    publish(workspace, event) {
      const ring = ringOf(workspace);
      const numbered = { ...event, id: ++ring.last };
      ring.events.push(numbered);
      if (ring.events.length > KEPT) ring.events.shift();
      for (const hear of ring.followers) tell(hear, numbered);
    },
    follow(workspace, after, hear) {
      const ring = ringOf(workspace);
      ring.wasFollowed = true;
      // A number that was never given out is of an earlier run of the host: all of that one is gone.
      const isForeign = after !== null && after > ring.last;
      const from = after === null ? ring.last : isForeign ? 0 : after;
      const gap = isForeign || (ring.events[0]?.id ?? ring.last + 1) > from + 1;
      for (const event of ring.events) if (event.id > from) tell(hear, event);
      ring.followers.add(hear);
      return { gap: after !== null && gap, end: () => void ring.followers.delete(hear) };
    },
    wasFollowed: (workspace) => rings.get(workspace)?.wasFollowed === true,
  };
};
