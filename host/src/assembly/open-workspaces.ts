/**
 * The workspaces that are open: the default one from the start of the host, each other from the moment a member first comes.
 * How many there are on disk costs nothing.
 */
import { Refusal } from "../kernel/refusal.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import { watchFile } from "./watch-file.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export interface OpenWorkspaces {
  isOpen(workspace: string): boolean;
  /** Resolves when its providers are known, not when they run. */
  open(workspace: string): Promise<void>;
  /** Of one that is open; Refusal `not_found` else. */
  room(workspace: string): WorkspaceRoom;
  all(): readonly WorkspaceRoom[];
  /** The host's own configuration changed: those beside the default one take over what of it is theirs too. */
  follow(): void;
  /** Resolves when no process of any bundle is left. */
  stop(): Promise<void>;
}

export interface OpenWorkspacesOptions {
  /** Makes the room of a workspace that there is, else throws Refusal `not_found`. */
  readonly make: (workspace: string) => WorkspaceRoom;
  readonly report: (error: unknown) => void;
}

export const createOpenWorkspaces = ({ make, report }: OpenWorkspacesOptions): OpenWorkspaces => {
  const rooms = new Map<string, WorkspaceRoom>();
  const opening = new Map<string, Promise<void>>();
  const unwatch: (() => void)[] = [];

  /** Those who follow the workspace were told what is wrong with a file. */
  const unlessRefused = (error: unknown): void => {
    if (!(error instanceof Refusal) || error.kind === "evidence_unavailable") report(error);
  };

  const open = async (workspace: string): Promise<void> => {
    const room = make(workspace);
    await room.bundles.start();
    await room.skills.packages.ready;
    rooms.set(workspace, room);
    const { file } = room.file;
    if (file === null) return;
    unwatch.push(
      watchFile(file, () => {
        room.noticed().catch(unlessRefused);
      }),
    );
  };

  return {
    isOpen: (workspace) => rooms.has(workspace),
    open(workspace) {
      if (rooms.has(workspace)) return Promise.resolve();
      const under = opening.get(workspace) ?? open(workspace).finally(() => opening.delete(workspace));
      opening.set(workspace, under);
      return under;
    },
    room(workspace) {
      const room = rooms.get(workspace);
      if (room !== undefined) return room;
      throw unknownWorkspace();
    },
    all: () => [...rooms.values()],
    follow() {
      for (const [id, room] of rooms) if (id !== DEFAULT_WORKSPACE) room.reload().catch(unlessRefused);
    },
    async stop() {
      for (const end of unwatch) end();
      await Promise.allSettled(opening.values());
      await Promise.all([...rooms.values()].map((room) => room.stop()));
    },
  };
};
