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
  /** A bundle came up, went down, was refused. */
  bundleChanged(event: { readonly type: string; readonly name: string; readonly message: string }): void;
  /** Somebody asked for a start, stop or restart; durable before anything is done about it. */
  bundleAsked(change: "start" | "stop" | "restart", bundle: string, by: string): Promise<void>;
  /** Somebody asked for a key or for the end of one; durable before anything is done about it. Never holds a secret. */
  keyCreateAsked(key: Pick<KeyRow, "name" | "as" | "for" | "scopes" | "permissions">, by: string): Promise<void>;
  keyRevokeAsked(name: string, by: string): Promise<void>;
  keyChanged(type: "key_created" | "key_revoked", name: string): Promise<void>;
}

export const createHostEvents = (log: EvidenceLog, hostId: string, report: (error: unknown) => void): HostEvents => {
  const rejected = new Map<string, { at: number; unwritten: number }>();

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
      const known = rejected.get(source);
      const now = Date.now();
      if (known && now - known.at < WINDOW_MS) {
        known.unwritten++;
        return;
      }
      if (rejected.size >= MAX_SOURCES) rejected.clear();
      rejected.set(source, { at: now, unwritten: 0 });
      write("auth_rejected", "identity", { source, unwritten_before: known?.unwritten ?? 0 }).catch(report);
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
  };
};
