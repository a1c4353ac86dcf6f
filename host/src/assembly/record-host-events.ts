/**
 * What the host writes about itself: who was turned away, which keys and bundles came and went. Its own correlations, never a call's.
 */
import type {
  Beside,
  Correlation,
  EvidenceDraft,
  EvidenceLog,
  EvidenceReceipt,
  StateWrite,
} from "../kernel/evidence.ts";
import type { BundleIdentity } from "../kernel/host-extension.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { stable } from "../kernel/stable.ts";
import type { KeyRow } from "../kernel/key.ts";
import { HOST_CAPABILITY } from "../kernel/host-capability.ts";

const WINDOW_MS = 60_000;
const MAX_SOURCES = 10_000;

export interface BundleNews {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Type without prefix, the topic whose correlation it joins, what it says, and what is durable with it. */
export type WriteHostEvent = (
  type: string,
  topic: string,
  payload: object,
  state?: readonly StateWrite[],
) => Promise<EvidenceReceipt>;

export interface HostFact {
  /** Canonical text. */
  readonly payload: string;
  /** Durable with the event. */
  readonly state: readonly StateWrite[];
}

export interface HostSaid {
  readonly payload: object;
  /** Canonical text. */
  readonly subject: string;
}

/** An account elsewhere that a bundle of a workspace uses in somebody's calls. */
export interface Account {
  readonly bundle: string;
  readonly workspace: string;
  readonly owner: string;
}

export interface HostEvents {
  /** At most one event a minute and source; the count of the others is in the next. */
  authRejected(source: string): void;
  /** Somebody brought a `requestState` that is none of its request; `check` is told nowhere else. Counted likewise. */
  stateRejected(principal: string, check: string): void;
  /** A bundle came up, went down, was refused. */
  bundleChanged(workspace: string, event: BundleNews): void;
  /** A bundle used what the host offers to it: it asked itself, whoever called it. */
  extensionUsed(use: { readonly bundle: BundleIdentity }): Promise<void>;
  /** A bundle is given what the policy would deny it if it were not in audit mode. */
  useWouldBeDenied(use: { readonly bundle: BundleIdentity; readonly uri: string }, no: Refusal): Promise<void>;
  /** What somebody may ask for as often as they like. Counted likewise, by what it is and who asks. */
  seldom(type: string, by: string, payload: object): void;
  /** Anything else, durable when it resolves. */
  readonly write: WriteHostEvent;
  /** Durable with the next event that the host writes about itself: for what is true already and no news. */
  note(write: StateWrite): void;
  /** The same, by somebody. */
  writeBy(type: string, topic: string, said: HostSaid): Promise<void>;
  /** In the correlation of a call or a run, by whoever acts there. */
  inCorrelation(
    type: string,
    correlation: Pick<Correlation, "id" | "fresh" | "causationId">,
    said: HostSaid,
  ): Promise<void>;
  /** The same for a type that is CHP's own. */
  writeAs(type: string, topic: string, what: HostFact): Promise<EvidenceReceipt>;
  /** Somebody asked for a key or for the end of one; durable before anything is done about it. Never holds a secret. */
  keyCreateAsked(key: Pick<KeyRow, "name" | "as" | "for" | "scopes" | "permissions">, by: string): Promise<void>;
  keyRevokeAsked(name: string, by: string): Promise<void>;
  keyChanged(type: "key_created" | "key_revoked", name: string): Promise<void>;
  /** Somebody wants to connect an account for somebody's calls; durable before anything is done about it. */
  accountAsked(account: Account & { readonly by: string }): Promise<void>;
  accountConnected(account: Account): Promise<void>;
}

const subjectOf = ({ workspace, provider }: BundleIdentity): string =>
  stable({ id: `bundle://${workspace}/${provider}`, type: "bundle", verified: true, door: "extension", workspace });

const NO_CORRELATION: Correlation = { id: "", causationId: null, parentId: null, traceId: null, fresh: false };

/** What every event that the host writes about itself has in common. */
const HOST_DRAFT = {
  invocationId: "host",
  capabilityId: HOST_CAPABILITY,
  capabilityVersion: null,
  outcome: null,
  error: "null",
  denial: "null",
};

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

  /** What was noted and is not durable yet, by its key. */
  const noted = new Map<string, StateWrite>();
  const append = async (
    type: string,
    topic: string,
    { payload, subject, state = [] }: Pick<EvidenceDraft, "payload" | "subject"> & Pick<Beside, "state">,
  ): Promise<EvidenceReceipt> => {
    // What the event itself brings is newer than what was noted, and replaces it.
    const all = [...noted.values(), ...state];
    const receipt = await log.append(
      { ...HOST_DRAFT, type, correlation: { ...NO_CORRELATION, id: `host-${topic}-${hostId}` }, payload, subject },
      all.length === 0 ? undefined : { state: all },
    );
    for (const write of all) if (noted.get(write.key) === write) noted.delete(write.key);
    return receipt;
  };
  const write: WriteHostEvent = (type, topic, payload, state) =>
    append(`dev.bailiwick.${type}`, topic, { payload: stable(payload), subject: "null", ...(state && { state }) });

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
    seldom(type, by, payload) {
      const unwritten = due(`${type}\n${by}`);
      if (unwritten === null) return;
      write(type, "lifecycle", { ...payload, by, unwritten_before: unwritten }).catch(report);
    },
    write,
    note: (fact) => void noted.set(fact.key, fact),
    async writeBy(type, topic, { payload, subject }) {
      await append(`dev.bailiwick.${type}`, topic, { payload: stable(payload), subject });
    },
    async inCorrelation(type, correlation, { payload, subject }) {
      const whole = { ...NO_CORRELATION, ...correlation };
      const draft = {
        ...HOST_DRAFT,
        type: `dev.bailiwick.${type}`,
        correlation: whole,
        payload: stable(payload),
        subject,
      };
      await log.append(draft);
    },
    writeAs: (type, topic, fact) => append(type, topic, { ...fact, subject: "null" }),
    async extensionUsed(use) {
      const said = { payload: stable(use), subject: subjectOf(use.bundle) };
      await append("dev.bailiwick.extension_used", "extensions", said);
    },
    async useWouldBeDenied({ bundle, uri }, { kind, message, details }) {
      const { matched_rule, policy_version } = details;
      const payload = stable({ bundle, uri, kind, message, matched_rule, policy_version });
      await append("dev.bailiwick.policy_would_deny", "extensions", { payload, subject: subjectOf(bundle) });
    },
    bundleChanged(workspace, { type, name, message, data }) {
      if (!log.writable()) return;
      write(type.replace(".", "_"), "lifecycle", { ...data, bundle: name, workspace, message }).catch(report);
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
    async accountAsked({ bundle, workspace, owner, by }) {
      await write("account_connect_asked", "identity", { bundle, workspace, owner, by });
    },
    async accountConnected({ bundle, workspace, owner }) {
      await write("account_connected", "identity", { bundle, workspace, owner });
    },
  };
};
