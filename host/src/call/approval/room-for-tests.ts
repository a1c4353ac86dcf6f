/** For tests of this room: the real room over a log and a state in memory, which a further room can be opened on again. */
import { hash } from "node:crypto";
import { NOBODY, NOTHING_DECLARED } from "../../kernel/ask.ts";
import type { ApprovalDemand, Capability } from "../../kernel/capability.ts";
import { NO_ENVELOPE, type Envelope } from "../../kernel/envelope.ts";
import type { EvidenceDraft, StateWrite } from "../../kernel/evidence.ts";
import { jcs } from "../../kernel/jcs.ts";
import type { Principal } from "../../kernel/principal.ts";
import { NO_MEMBERS, type RawMembers } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { NO_ROOTS } from "../../kernel/roots-for-tests.ts";
import type { Seals } from "../../kernel/seal.ts";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import type { Approved, Valid } from "../../kernel/stages.ts";
import { createApprovals, type ApprovalRoom, type ApprovalsOptions } from "./create-approvals.ts";

export const SIGNER: Signer = signerOf(Buffer.from(Array.from({ length: 32 }, (_, i) => i)));

/** Readable by whoever has the same secret, like the real ones. */
const sealsOf = (secret: string): Seals => ({
  seal: (purpose, plain) => `bw1.${Buffer.from(`${secret}/${purpose}/${plain}`).toString("base64url")}`,
  unseal: (purpose, sealed) => {
    const text = Buffer.from(sealed.slice(4), "base64url").toString();
    return text.startsWith(`${secret}/${purpose}/`) ? text.slice(`${secret}/${purpose}/`.length) : null;
  },
  secret: (purpose) => `${secret}/${purpose}`,
});

export interface TestWorld {
  room: ApprovalRoom;
  readonly events: EvidenceDraft[];
  readonly kept: Map<string, StateWrite & { readonly value: string }>;
  readonly bugs: unknown[];
  now: number;
  writable: boolean;
  /** What is configured about people. */
  readonly facts: Map<string, Pick<Principal, "roles" | "permissions">>;
  /** What the gates say to a call that waited. */
  reassess: (call: Valid) => Valid;
  /** The host starts again, perhaps without its old secret. */
  restart(secret?: string): void;
  types(): readonly string[];
}

export const openWorld = (over: Partial<ApprovalsOptions> = {}): TestWorld => {
  const events: EvidenceDraft[] = [];
  const kept: TestWorld["kept"] = new Map();
  const bugs: unknown[] = [];
  const open = (secret: string): ApprovalRoom => {
    const restored = [...kept.values()];
    return createApprovals({
      log: {
        append: async (draft, beside) => {
          // As long as a real one takes to answer: the caller goes on in a later turn.
          await new Promise((resolve) => setImmediate(resolve));
          if (!world.writable) throw new Refusal("evidence_unavailable", { message: "Full.", next: "Wait." });
          events.push(draft);
          for (const write of beside?.state ?? []) keep(kept, write);
          return { eventId: `evt_${events.length}`, sequence: events.length };
        },
        appendAll: () => Promise.reject(new Error("an approval is one event")),
        writable: () => world.writable,
        close: () => Promise.resolve(),
      },
      state: {
        entries: (space) => restored.filter((w) => w.space === space).map(({ key, value }) => [key, value] as const),
        reply: () => null,
      },
      seals: sealsOf(secret),
      hostId: "host-1",
      signer: () => SIGNER,
      approverKeys: () => [],
      classifications: () => ["public", "internal", "confidential", "restricted"],
      rootsOf: NO_ROOTS,
      factsOf: (id) => world.facts.get(id) ?? { roles: [], permissions: [] },
      isMember: () => true,
      approversIn: () => new Set(["role:manager", "person:bob"]),
      reassess: (call) => world.reassess(call),
      reportBug: (error) => bugs.push(error),
      now: () => world.now,
      ...over,
    });
  };
  const world: TestWorld = {
    events,
    kept,
    bugs,
    now: Date.UTC(2026, 10, 16, 9),
    writable: true,
    facts: new Map(),
    reassess: (call) => call,
    restart: (secret = "secret") => {
      world.room.close();
      world.room = open(secret);
    },
    types: () => events.map(({ type }) => type),
    room: undefined as unknown as ApprovalRoom,
  };
  world.room = open("secret");
  return world;
};

const keep = (kept: TestWorld["kept"], { space, key, value }: StateWrite): void => {
  if (value === null) kept.delete(`${space} ${key}`);
  else kept.set(`${space} ${key}`, { space, key, value });
};

/** What stage 9 does with a call that passed: takes the approval and writes it with the intent. */
export const begin = (world: TestWorld, { approval }: Approved, invocation = "inv_run"): void => {
  if (approval === null) return;
  const correlation = { id: "corr_run", causationId: null, parentId: null, traceId: null, fresh: false };
  const taken = approval.admission.take({ id: invocation, correlation });
  for (const write of taken.writes) keep(world.kept, write);
  for (const event of taken.events ?? []) world.events.push({ ...event } as EvidenceDraft);
};

export const principal = (id: string, over: Partial<Principal> = {}): Principal => ({
  id,
  kind: id.slice(0, id.indexOf(":")) as Principal["kind"],
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "k",
  ...over,
});

export const AGENT = principal("agent:planner", { onBehalfOf: "person:ann" });
export const ANN = principal("person:ann", { permissions: ["approvals:decide"] });
export const MARIA = principal("person:maria", { roles: ["manager"], permissions: ["approvals:decide"] });

export const demand = (over: Partial<ApprovalDemand> = {}): ApprovalDemand => ({
  rule: "r",
  approvers: null,
  count: 1,
  fourEyes: false,
  ttlS: 3600,
  ...over,
});

export interface CallParts {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly by?: Principal;
  readonly demand?: ApprovalDemand | null;
  readonly capability?: Partial<Capability>;
  readonly definition?: string;
  readonly flatName?: string;
  readonly envelope?: Partial<Envelope>;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (members: RawMembers) => void;
  readonly over?: Partial<Valid>;
}

const CAPABILITY = {
  id: "schedule_technician",
  version: "1.0.0",
  uri: "schedule_technician:1.0.0",
  risk: "high",
  approvalRequired: false,
  approval: null,
  autonomy: null,
  classification: null,
};

/** A call as stage 7 leaves it, but for what no approval looks at. */
export const callOf = (parts: CallParts = {}): Valid => {
  const { args = { job: "J-17" }, by = AGENT, definition = `sha256:${hash("sha256", "d")}` } = parts;
  const { flatName = "dispatch__schedule_technician" } = parts;
  return {
    door: "chp",
    operation: "call",
    name: flatName,
    args,
    argsJson: null,
    extraParams: NO_MEMBERS,
    traceparent: null,
    continues: null,
    asker: { ...NOBODY, declared: NOTHING_DECLARED },
    listener: { progress: parts.progress ?? (() => {}), log: () => {}, level: () => null },
    signal: parts.signal ?? new AbortController().signal,
    envelope: parts.envelope === undefined ? null : { ...NO_ENVELOPE, ...parts.envelope },
    approvalWaitMs: parts.waitMs ?? 0,
    principal: by,
    target: {
      provider: { name: flatName.split("__")[0] },
      name: flatName.split("__")[1],
      flatName,
      tool: { name: flatName.split("__")[1], definition },
      surface: "s",
      capability: { ...CAPABILITY, ...parts.capability },
    },
    verdict: {
      rule: "r",
      policyVersion: "v",
      demand: parts.demand === undefined ? demand() : parts.demand,
      admissions: [],
      mandate: null,
    },
    canonicalArgs: jcs(args),
    guardrails: [],
    ...parts.over,
  } as unknown as Valid;
};

/** The refusal that a call ends with. */
export const refusalOf = async (call: Promise<unknown>): Promise<Refusal> => {
  const no: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (no instanceof Refusal) return no;
  throw no instanceof Error ? no : new Error("It was not refused.");
};

/** Asks, and gives the id of the approval that waits. */
export const ask = async (world: TestWorld, parts: CallParts = {}): Promise<string> => {
  const refusal = await refusalOf(world.room.stage(callOf(parts)));
  if (refusal.kind !== "approval_pending") throw refusal;
  return String(refusal.details["approval_id"]);
};
