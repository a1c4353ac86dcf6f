/**
 * What members of a workspace hear while it happens. Told beside evidence, never instead of it; nothing of another workspace
 * is ever in it.
 */
import type { Authors } from "./conversation.ts";

export interface WorkspaceEvent {
  /** `bundle.crashed`, `config.reloaded`, `surface.changed`, … */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of an event about a conversation, which only those hear who see that; told to nobody. */
  readonly authors?: Authors;
}

export interface NumberedEvent extends WorkspaceEvent {
  /** Counts from 1 within its workspace. */
  readonly id: number;
}

/** Keeps the last 500 of each workspace. */
export interface WorkspaceEvents {
  publish(workspace: string, event: WorkspaceEvent): void;
  /**
   * Calls `hear` with every event after `after` that is still kept, then with each new one, until the returned function is
   * called. `gap`: some after `after` are not kept any more.
   */
  follow(
    workspace: string,
    after: number | null,
    hear: (event: NumberedEvent) => void,
  ): { readonly gap: boolean; readonly end: () => void };
}
