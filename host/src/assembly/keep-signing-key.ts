/** The key that the host signs with, as people see and change it. Who asked is durable before anything is done about it. */
import type { HostKeyRow, HostKeys } from "../kernel/host-keys.ts";
import { Refusal } from "../kernel/refusal.ts";
import { keyEventsOf } from "../storage/key-events.ts";
import type { OpenEvidenceLog } from "../storage/open-evidence-log.ts";
import type { SigningKey } from "../storage/signing-key.ts";
import type { HostEvents } from "./record-host-events.ts";

const TOPIC = "identity";

export interface SigningKeyParts {
  readonly key: SigningKey;
  readonly log: Pick<OpenEvidenceLog, "signWith" | "state">;
  readonly events: HostEvents;
}

export const keepSigningKey = async ({ key, log, events }: SigningKeyParts): Promise<HostKeys> => {
  const recorded = new Set(Array.from(log.state.entries("key"), ([id]) => id));
  /** The key file comes first and the host may die in between, so all of it is compared with what the log has. */
  const record = async (): Promise<void> => {
    for (const { id, type, payload } of keyEventsOf(key.identity())) {
      if (recorded.has(id)) continue;
      recorded.add(id);
      try {
        await events.writeAs(type, TOPIC, { payload, state: [{ space: "key", key: id, value: type }] });
      } catch (no) {
        recorded.delete(id);
        throw no;
      }
    }
  };
  const recordDone = async (done: string): Promise<void> => {
    try {
      await record();
    } catch (no) {
      throw no instanceof Refusal ? unrecorded(done) : no;
    }
  };
  await record();
  return {
    list: () => rowsOf(key),
    async rotate(by) {
      await events.write("host_key_rotate_asked", TOPIC, { key_id: key.signer().keyId, by });
      key.rotate();
      await log.signWith(key.material());
      await recordDone(`The host signs with ${key.signer().keyId} now`);
      return rowOf(key, key.signer().keyId);
    },
    async revoke({ keyId, reason }, by) {
      refuseUnknown(key, keyId);
      await events.write("host_key_revoke_asked", TOPIC, { key_id: keyId, by, reason });
      key.revoke(keyId, reason);
      await recordDone(`${keyId} is revoked`);
      return rowOf(key, keyId);
    },
  };
};

const rowsOf = (key: SigningKey): readonly HostKeyRow[] => {
  const { host_identity, key_history = [], revoked_keys = [], ...own } = key.identity();
  const current: HostKeyRow = {
    key_id: own.key_id,
    public_key: own.public_key,
    state: "current",
    since: host_identity.valid_from,
  };
  const former = key_history.map((step): HostKeyRow => {
    const revoked = revoked_keys.find((each) => each.revoked_key_id === step.old_key_id);
    const { old_key_id: key_id, old_public_key: public_key } = step;
    if (revoked === undefined) return { key_id, public_key, state: "former", since: step.rotated_at };
    return { key_id, public_key, state: "revoked", since: revoked.revoked_at, reason: revoked.reason };
  });
  return [current, ...former.toReversed()];
};

const rowOf = (key: SigningKey, keyId: string): HostKeyRow => {
  const row = rowsOf(key).find((each) => each.key_id === keyId);
  if (row === undefined) throw unknown(keyId);
  return row;
};

const refuseUnknown = (key: SigningKey, keyId: string): void => {
  const { state } = rowOf(key, keyId);
  if (state === "former") return;
  throw new Refusal("bad_request", {
    message:
      state === "current" ? `${keyId} is the key that this host signs with now.` : `${keyId} was revoked already.`,
    next:
      state === "current"
        ? "Make a new one first: bailiwick key rotate-host"
        : "`bailiwick key list-host` shows the keys of this host.",
  });
};

const unknown = (keyId: string): Refusal =>
  new Refusal("not_found", {
    message: `This host has never signed with a key ${JSON.stringify(keyId.slice(0, 40))}.`,
    next: "`bailiwick key list-host` shows the keys of this host.",
  });

const unrecorded = (done: string): Refusal =>
  new Refusal("outcome_unrecorded", {
    message: `${done}, but that could not be recorded yet.`,
    next: "Do not repeat it. Run `bailiwick doctor`, and mend the log; the host records it when it starts again.",
  });
