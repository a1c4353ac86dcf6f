/** Keys as people make and end them. Who asked for what is durable before it is done; where that cannot be recorded, nothing is. */
import { checkNewKey } from "../storage/check-new-key.ts";
import type { KeyStore } from "../storage/key-store.ts";
import type { KeyRow, NewKey } from "../kernel/key.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { checkKeyWorkspace } from "./check-key-workspace.ts";
import type { Keys } from "./host.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface RecordedKeys {
  create(order: NewKey, by: string): Promise<{ readonly secret: string; readonly row: KeyRow }>;
  list(): Promise<readonly KeyRow[]>;
  revoke(name: string, by: string): Promise<KeyRow>;
}

/** No key has a longer name; what is asked for may be of any length. */
const MAX_NAME = 64;

export interface KeyParts {
  readonly store: KeyStore;
  readonly events: HostEvents;
  readonly workspaces: Pick<Workspaces, "find" | "isMember">;
  /** Hears of a key that was revoked, and whether it was the last one of its principal. */
  readonly revoked: (key: KeyRow, isLast: boolean) => void;
}

export const recordKeys = ({ store, events, workspaces, revoked }: KeyParts): RecordedKeys => ({
  async create(order, by) {
    // Throws for what can be no key, so that only what could be made is recorded, and as it would be made.
    const wanted = checkNewKey(order, "");
    checkKeyWorkspace(wanted, workspaces);
    await events.keyCreateAsked(wanted, by);
    const made = await store.create(order);
    await events.keyChanged("key_created", made.row.name);
    return made;
  },
  list: () => store.list(),
  async revoke(name, by) {
    await events.keyRevokeAsked(name.slice(0, MAX_NAME), by);
    const row = await store.revoke(name);
    await events.keyChanged("key_revoked", row.name);
    const isAlive = ({ as, for: behalf, revokedAt }: KeyRow): boolean =>
      revokedAt === null && as === row.as && behalf === row.for;
    revoked(row, !(await store.list()).some(isAlive));
    return row;
  },
});

/** The same for one who is known beforehand. */
export const controlKeys = (keys: RecordedKeys, by: string): Keys => ({
  create: (order) => keys.create(order, by),
  list: () => keys.list(),
  revoke: (name) => keys.revoke(name, by),
});
