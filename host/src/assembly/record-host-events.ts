/**
 * What the host writes about itself: who was turned away, which keys and bundles came and went. Its own correlations, never a call's.
 */
import type { EvidenceLog, EvidenceReceipt } from "../kernel/evidence.ts";
import { stable } from "../kernel/stable.ts";
import type { KeyRow } from "../kernel/key.ts";

const WINDOW_MS = 60_000;
const MAX_SOURCES = 10_000;

export interface HostEvents {
  /** At most one event a minute and source; the count of the others is in the next. */
  authRejected(source: string): void;
  /** Somebody brought a `requestState` that is none of its request; `check` is told nowhere else. Counted likewise. */
  stateRejected(principal: string, check: string): void;
  /** A bundle came up, went down, was refused. */
  bundleChanged(event: { readonly type: string; readonly name: string; readonly message: string }): void;
  /** Somebody asked for a start, stop or restart; durable before anything is done about it. */
  bundleAsked(change: "start" | "stop" | "restart", bundle: string, by: string): Promise<void>;
  /** Somebody asked for a key or for the end of one; durable before anything is done about it. Never holds a secret. */
  keyCreateAsked(key: Pick<KeyRow, "name" | "as" | "for" | "scopes" | "permissions">, by: string): Promise<void>;
  keyRevokeAsked(name: string, by: string): Promise<void>;
  keyChanged(type: "key_created" | "key_revoked", name: string): Promise<void>;
  /** Somebody wants to connect an account for somebody's calls; durable before anything is done about it. */
  accountAsked(bundle: string, owner: string, by: string): Promise<void>;
  accountConnected(bundle: string, owner: string): Promise<void>;
}

export const createHostEvents = (log: EvidenceLog, hostId: string, report: (error: unknown) => void): HostEvents => {
  const rejected = new Map<string, { at: number; unwritten: number }>();

  /** How many of these were not written since the last; null: this one is not either. */
  const due = (key: string): number | null => {
    const known = rejected.get(key);
    const now = Date.now();
    if (known && now - known.at < WINDOW_MS) {
      known.unwritten++;
      return null;
    }
    if (rejected.size >= MAX_SOURCES) rejected.clear();
    rejected.set(key, { at: now, unwritten: 0 });
    return known?.unwritten ?? 0;
  };

  const write = (type: string, topic: string, payload: object): Promise<EvidenceReceipt> =>
    log.append({
      type: `dev.bailiwick.${type}`,
      invocationId: "host",
      capabilityId: "dev.bailiwick.host",
      capabilityVersion: null,
      correlation: { id: `host-${topic}-${hostId}`, causationId: null, parentId: null, traceId: null, fresh: false },
      outcome: null,
      payload: stable(payload),
      subject: "null",
      error: "null",
      denial: "null",
    });

  return {
    authRejected(source) {
      const unwritten = due(source);
      if (unwritten === null) return;
      write("auth_rejected", "identity", { source, unwritten_before: unwritten }).catch(report);
    },
    stateRejected(principal, check) {
      const unwritten = due(`${principal}\n${check}`);
      if (unwritten === null) return;
      write("state_rejected", "identity", { principal, check, unwritten_before: unwritten }).catch(report);
    },
    bundleChanged({ type, name, message }) {
      if (!log.writable()) return;
      write(type.replace(".", "_"), "lifecycle", { bundle: name, message }).catch(report);
    },
    async bundleAsked(change, bundle, by) {
      await write(`bundle_${change}_asked`, "lifecycle", { bundle, by });
    },
    async keyCreateAsked({ name, as, for: behalf, scopes, permissions }, by) {
      await write("key_create_asked", "identity", { name, as, for: behalf, scopes, permissions, by });
    },
    async keyRevokeAsked(name, by) {
      await write("key_revoke_asked", "identity", { name, by });
    },
    async keyChanged(type, name) {
      await write(type, "identity", { name });
    },
    async accountAsked(bundle, owner, by) {
      await write("account_connect_asked", "identity", { bundle, owner, by });
    },
    async accountConnected(bundle, owner) {
      await write("account_connected", "identity", { bundle, owner });
    },
  };
};
