/**
 * Stand-ins for what the doors are handed of other rooms: a log of one correlation, a queue of approvals, and what would
 * happen to a call. Answers have the shapes of the real ones, which other rooms test.
 */
import type { ApprovalRecord, Approvals } from "../kernel/approvals.ts";
import type { Archive, Statements } from "../kernel/archive.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { standInChats, type StandInChats } from "./chat-agent-for-tests.ts";
import { standInGates, type StandInGates } from "./gates-for-tests.ts";
import type { ListenerDeps } from "./listener-deps.ts";

type Governance = Pick<
  ListenerDeps,
  "archive" | "approvals" | "explain" | "descriptors" | "chp" | "info" | "policy" | "hostKeys" | "removal" | "agent"
>;
type Json = Readonly<Record<string, unknown>>;

export interface StandInGovernance extends Governance, StandInGates {
  /** Approvals by id; who asked for one sees it, and so does who has `*`. */
  readonly queue: Map<string, ApprovalRecord>;
  /** What was handed to `addWitness`, `addAnchor` and `addRevocation`. */
  readonly statements: unknown[];
  readonly chats: StandInChats;
}

const HASH = "0".repeat(64);
const NOW = "2026-01-02T03:04:05.678Z";

/** An event of the correlation `corr_known`, which belongs to `person:owner`. */
const EVENT: Json = {
  assurance: { evidence_policy: "before-execution", level: "S2", notes: ["bailiwick-cover-v1"] },
  capability_id: "p__echo",
  capability_version: "1.0.0",
  content_hash: HASH,
  correlation: {
    baggage: {},
    causation_id: null,
    correlation_id: "corr_known",
    environment: "test",
    parent_correlation_id: null,
    trace_id: null,
  },
  denial: null,
  error: null,
  event_id: `evt_c1_${HASH}`,
  event_type: "execution_completed",
  hash_scheme: "chp-event-hash-v2",
  host_id: "h",
  invocation_id: "inv_1",
  outcome: "success",
  payload: { capability_uri: "p__echo:1.0.0" },
  payload_commitment: HASH,
  prev_hash: null,
  redacted: false,
  sequence: 1,
  subject: { id: "person://owner", type: "person", verified: true },
  timestamp: NOW,
};

const readsAll = ({ permissions }: Principal): boolean =>
  permissions.includes("*") || permissions.includes("evidence:read");

const eventsFor = (reader: Principal, correlation: string): readonly Json[] =>
  correlation === "corr_known" && readsAll(reader) ? [EVENT] : [];

const standInStatements = (taken: unknown[]): Statements => {
  const take = (code: string, answer: Json, statement: unknown): Promise<Json> => {
    taken.push(statement);
    if ((statement as Json | null)?.["ok"] === true) return Promise.resolve(answer);
    const conflict = (statement as Json | null)?.["sequence"] === 99;
    return Promise.reject(
      new Refusal("bad_request", {
        message: "The statement does not verify.",
        next: "Sign it with the key that it names.",
        details: { code: conflict ? "head_mismatch" : code },
      }),
    );
  };
  return {
    addWitness: (statement) => take("invalid_witness", { accepted: true, sequence: 1, witness: "k" }, statement),
    witnesses: () => [],
    addAnchor: (statement) =>
      take("invalid_anchor", { accepted: true, sequence: 1, anchor_did: "did:key:z" }, statement),
    anchors: () => [],
    addRevocation: (statement) =>
      take("invalid_revocation", { accepted: true, mandate_id: "mdt_1", principal: "k" }, statement),
    revocations: () => ({ keys: [], mandates: [] }),
    isRevoked: () => false,
  };
};

async function* once(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

const standInArchive = (statements: Statements): Archive => ({
  last: () => 1,
  identity: () => ({ assurance: "signed", key_id: "0".repeat(16), public_key: "AA==", host_identity: null }),
  replay: (reader, { correlationId }) => {
    const events = eventsFor(reader, correlationId);
    const facts = { correlation_id: correlationId, event_count: events.length, truncated: false, replayed_at: NOW };
    return Promise.resolve({ ...facts, events });
  },
  events: (reader) => Promise.resolve({ events: eventsFor(reader, "corr_known"), before: null }),
  event: (reader, id) =>
    Promise.resolve(eventsFor(reader, "corr_known").find((event) => event["event_id"] === id) ?? null),
  trace: (_, correlationId) => Promise.resolve({ correlation_id: correlationId, invocations: [] }),
  verify: (reader, correlationId) => {
    const count = eventsFor(reader, correlationId).length;
    return Promise.resolve({
      valid: true,
      correlation_id: correlationId,
      event_count: count,
      verified_count: count,
      unverified_count: 0,
      first_broken_sequence: null,
      checks: {},
    });
  },
  export: (reader, { correlation = "" }) => ({
    type: "application/json",
    parts: once(JSON.stringify({ correlation_id: correlation, events: eventsFor(reader, correlation) })),
  }),
  head: (scheme) =>
    Promise.resolve({
      host_id: "h",
      scheme,
      sequence: 1,
      store_head: HASH,
      revocation_head: HASH,
      at: NOW,
    }),
  inclusion: (reader, correlationId) =>
    Promise.resolve(
      eventsFor(reader, correlationId).length === 0 ? null : { sequence: 1, store_head: HASH, proof: { path: [] } },
    ),
  consistency: (first, second) => {
    if (first <= second && second <= 1) return Promise.resolve({ first, second, path: [] });
    const [message, next] = ["There is no such pair of sizes.", "Ask for 0 <= first <= second <= 1."];
    return Promise.reject(new Refusal("bad_request", { message, next }));
  },
  checkpoints: () => Promise.resolve([]),
  checkpoint: () => Promise.resolve({}),
  statements,
});

const notHere = (id: string): Refusal =>
  new Refusal("not_found", { message: `There is no approval ${id.slice(0, 100)}.`, next: 'Run "bailiwick approve".' });

const standInApprovals = (queue: Map<string, ApprovalRecord>): Approvals => {
  const sees = (reader: Principal, record: ApprovalRecord): boolean =>
    record.requested_by === reader.id || reader.permissions.includes("*");
  const find = (reader: Principal, id: string): ApprovalRecord => {
    const record = queue.get(id);
    if (record && sees(reader, record)) return record;
    throw notHere(id);
  };
  const end = (record: ApprovalRecord, state: ApprovalRecord["state"]): Promise<ApprovalRecord> => {
    const ended = { ...record, state };
    queue.set(record.id, ended);
    return Promise.resolve(ended);
  };
  return {
    list: (reader, { state, before } = {}) => {
      const all = [...queue.values()];
      const from = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
      return all.slice(from).filter((record) => sees(reader, record) && (state ?? record.state) === record.state);
    },
    count: (reader, state) =>
      [...queue.values()].filter((record) => sees(reader, record) && state === record.state).length,
    get: (reader, id) => {
      const record = queue.get(id);
      return record && sees(reader, record) ? record : null;
    },
    decide: async (by, id, { approve }) => end(find(by, id), approve ? "granted" : "denied"),
    cancel: async (by, id) => end(find(by, id), "cancelled"),
    standing: () => [],
    grantStanding: (by, order) =>
      Promise.resolve({ ...order, id: "sap_1", uses: 0, granted_by: by.id, workspace: by.workspace }),
    revokeStanding: (_, id) => Promise.reject(notHere(id)),
    settled: (id) => Promise.resolve(queue.get(id)?.state ?? null),
    onChange: () => () => {},
  };
};

const explained = (tool: string, principal: string): Explanation => ({
  tool,
  capability_id: tool,
  principal,
  verdict: "run",
  decided_by: null,
  digest: null,
  surface: "s1",
  policy_version: "v",
  stages: [],
  next: null,
});

const descriptor = (id: string): Json => ({
  id,
  version: "1.0.0",
  description: `The tool ${id}.`,
  name: id,
  provider: "p",
  status: "experimental",
  modes: ["sync"],
  emits: ["execution_started", "execution_completed"],
  metadata: { lifecycle: "invokable" },
});

const standInHostKeys = (): ListenerDeps["hostKeys"] => {
  const key = {
    key_id: "0".repeat(16),
    public_key: "AA==",
    state: "current",
    since: "2026-01-02T03:04:05.678Z",
  } as const;
  return {
    list: () => [key],
    rotate: () => Promise.resolve({ ...key, key_id: "1".repeat(16) }),
    revoke: ({ keyId, reason }) => Promise.resolve({ ...key, key_id: keyId, state: "revoked", reason }),
  };
};

export const standInGovernance = (): StandInGovernance => {
  const queue = new Map<string, ApprovalRecord>();
  const statements: unknown[] = [];
  const chats = standInChats();
  return {
    ...standInGates(),
    chats,
    agent: chats.agent,
    queue,
    statements,
    archive: standInArchive(standInStatements(statements)),
    approvals: standInApprovals(queue),
    explain: (raw, as) => Promise.resolve(explained(raw.name, as ?? raw.verified?.principal.id ?? "")),
    descriptors: ({ scopes }) =>
      ["p__echo", "p__other"].filter((id) => scopes === null || scopes.includes(id)).map(descriptor),
    policy: () => ({ mode: "enforce", digest: "sha256:0", rules: [], diagnostics: [] }),
    hostKeys: standInHostKeys(),
    removal: {
      purge: ({ correlation }) => Promise.resolve({ correlation, events: 2 }),
      redact: ({ event }) => Promise.resolve({ sequence: Number(event), event_id: `evt_c1_${HASH}` }),
    },
    chp: { mount: "/chp", publicDiscovery: [], metadata: () => ({}) },
    info: {
      id: "h",
      name: null,
      kind: "service",
      operatorVersion: "1.2.3",
      environment: "test",
      version: "1.2.3",
      startedAt: 0,
    },
  };
};
