/**
 * What has happened to the keys of a host, as the events that tell of it, oldest first. Read from the host's own documents, so
 * that what is not in the log yet can be written later.
 */
import { stable } from "../kernel/stable.ts";
import type { IdentityDocument } from "./signing-key.ts";

export interface KeyEvent {
  /** The same for the same fact, and for nothing else. */
  readonly id: string;
  readonly type: "key_generated" | "key_rotated" | "key_revoked";
  /** Canonical text. */
  readonly payload: string;
}

export const keyEventsOf = (document: IdentityDocument): readonly KeyEvent[] => {
  const { key_history: history = [], revoked_keys: revoked = [] } = document;
  return [
    generated(document),
    ...history.map((continuity): KeyEvent => ({
      id: `rotated:${continuity.new_key_id}`,
      type: "key_rotated",
      payload: stable(continuity),
    })),
    ...revoked.map((revocation): KeyEvent => ({
      id: `revoked:${revocation.revoked_key_id}`,
      type: "key_revoked",
      payload: stable(revocation),
    })),
  ];
};

/** Of the first key. When it was made is known until another one follows it. */
const generated = ({ host_identity: current, key_history: [step] = [] }: IdentityDocument): KeyEvent => {
  const key_id = step?.old_key_id ?? current.key_id;
  const public_key = step?.old_public_key ?? current.public_key;
  const generated_at = step === undefined ? current.valid_from : null;
  return { id: `generated:${key_id}`, type: "key_generated", payload: stable({ key_id, public_key, generated_at }) };
};
