/** The conversations of one workspace, where its configuration keeps them. */
import type { Config } from "@bailiwick/contract";
import { join } from "node:path";
import { createMemoryConversations } from "../agent/conversations/create-memory-conversations.ts";
import { openConversations } from "../agent/conversations/open-conversations.ts";
import type { Conversations } from "../kernel/conversation.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { resolvePath } from "./resolve-path.ts";

export interface RoomConversations {
  readonly workspace: string;
  /** The folder of the workspace. */
  readonly home: string;
  readonly store: Config["store"];
  /** Where nothing is said. */
  readonly inMemory: boolean;
  readonly base: { readonly baseDir: string; readonly home: string };
}

export const openRoomConversations = ({ workspace, home, store, inMemory, base }: RoomConversations): Conversations => {
  if (store === undefined ? inMemory : store.type === "memory") return createMemoryConversations();
  const given = workspace === DEFAULT_WORKSPACE ? store?.dir : undefined;
  const dir = given === undefined ? join(home, "conversations") : resolvePath(given, base);
  return openConversations({ dir, now: Date.now });
};
