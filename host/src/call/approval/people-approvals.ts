/** The queue as people and doors see it: what they may read, decide and withdraw. */
import type { ApprovalQuery, ApprovalRecord, Approvals, ApprovalState } from "../../kernel/approvals.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Signer } from "../../kernel/signing.ts";
import { cancelledEvent, decidedEvent } from "./approval-events.ts";
import type { ApprovalLedger } from "./approval-ledger.ts";
import { goneRefusal } from "./approval-refusals.ts";
import { maySee } from "./clearance.ts";
import { decide } from "./decide.ts";
import type { DecisionWaiters } from "./decision-waiters.ts";
import { nextState } from "./next-state.ts";
import { signGrant } from "./sign-grant.ts";
import type { StandingApprovals } from "./standing-approvals.ts";
import { endApproval, stateAt, type StoredApproval } from "./stored-approval.ts";
import { whyNotAgain, whyNotDecider } from "./who-decides.ts";

const MAX_REASON = 2_000;

export interface PeopleOptions {
  readonly hostId: string;
  readonly ledger: ApprovalLedger;
  readonly standing: StandingApprovals;
  readonly waiters: DecisionWaiters;
  readonly signer: () => Signer;
  readonly classifications: () => readonly string[];
  readonly now: () => number;
}

/** Who asked, or for whom it was asked. */
const isAsker = ({ id, onBehalfOf }: Principal, { requested_by, on_behalf_of }: StoredApproval): boolean =>
  (id === requested_by && (onBehalfOf ?? undefined) === on_behalf_of) || id === on_behalf_of;

const mayRead = (reader: Principal, record: StoredApproval): boolean =>
  reader.workspace === record.workspace && (isAsker(reader, record) || whyNotDecider(reader, record) === null);

export class PeopleApprovals implements Approvals {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  *list(reader: Principal, query: ApprovalQuery = {}): Iterable<ApprovalRecord> {
    for (const record of this.#find(reader, query)) yield this.#show(reader, record);
  }

  count(reader: Principal, state: ApprovalState): number {
    let count = 0;
    for (const _ of this.#find(reader, { state })) count++;
    return count;
  }

  *#find(reader: Principal, { state, before }: ApprovalQuery): Iterable<StoredApproval> {
    const { ledger, now } = this.#options;
    let isPast = before === undefined;
    for (const { id } of ledger.index.newest()) {
      const record = isPast ? ledger.find(id) : null;
      isPast ||= id === before;
      if (record === null || !mayRead(reader, record)) continue;
      if (state === undefined || stateAt(record, now()) === state) yield record;
    }
  }

  get(reader: Principal, id: string): ApprovalRecord | null {
    const record = this.#options.ledger.find(id);
    return record && mayRead(reader, record) ? this.#show(reader, record) : null;
  }

  async decide(by: Principal, id: string, order: { approve: boolean; reason?: string }): Promise<ApprovalRecord> {
    const { ledger } = this.#options;
    const { approve, reason } = order;
    if (by.kind !== "person") throw mayNot(id, "Only a person decides about an approval.");
    if (reason !== undefined && reason.length > MAX_REASON) throw tooLong();
    if (ledger.find(id)?.workspace !== by.workspace) throw unknown(id);
    const decided = await ledger.change(id, (record) => {
      const why = whyNotDecider(by, record) ?? whyNotAgain(by.id, record, approve);
      if (why !== null) throw mayNot(id, why);
      if (approve && !this.#isCleared(by, record)) throw unseen(record, by);
      const at = this.#checkOpen(record, approve ? "approve" : "deny");
      const until = at + record.ttl_s * 1_000;
      const grant = approve ? { grant: this.#sign(record, by, until) } : {};
      const said = { by: by.id, at: new Date(at).toISOString(), ...(reason === undefined ? {} : { reason }), ...grant };
      const next = decide(record, { ...said, decision: approve ? "approve" : "deny" }, { at, until });
      return { next, event: decidedEvent(next, { by: by.id, person: by, reason }) };
    });
    return this.#show(by, decided);
  }

  async cancel(by: Principal, id: string): Promise<ApprovalRecord> {
    const { ledger } = this.#options;
    const found = ledger.find(id);
    if (found === null || !mayRead(by, found)) throw unknown(id);
    if (!isAsker(by, found)) throw mayNot(id, "Only who asked for an approval withdraws it.");
    const cancelled = await ledger.change(id, (record) => {
      const at = this.#checkOpen(record, "cancel");
      const next = endApproval(record, at, { state: "cancelled", reason: `withdrawn by ${by.id}` });
      return { next, event: cancelledEvent(next, by) };
    });
    return this.#show(by, cancelled);
  }

  standing(reader: Principal): ReturnType<Approvals["standing"]> {
    return this.#options.standing.list(reader);
  }

  async grantStanding(...[by, order]: Parameters<Approvals["grantStanding"]>): ReturnType<Approvals["grantStanding"]> {
    const granted = await this.#options.standing.grant(by, order);
    this.#options.waiters.wakeAll();
    return granted;
  }

  revokeStanding(by: Principal, id: string): ReturnType<Approvals["revokeStanding"]> {
    return this.#options.standing.revoke(by, id);
  }

  async settled(id: string, ms: number, signal: AbortSignal): Promise<ApprovalState | null> {
    const { ledger, waiters, now } = this.#options;
    const until = now() + ms;
    for (;;) {
      const record = ledger.find(id);
      const state = record && stateAt(record, now());
      const left = until - now();
      if (record === null || state !== "pending" || left <= 0 || signal.aborted) return state;
      const expiry = Date.parse(record.expires_at) - now();
      await waiters.wait(id, { ms: Math.min(left, expiry), signal, uses: false });
    }
  }

  onChange(listener: (record: ApprovalRecord) => void): () => void {
    return this.#options.ledger.onChange((record) => listener(shownOf(record, record.state, argumentsOf(record))));
  }

  /** The time of the change; throws the Refusal when the approval cannot be changed so any more. */
  #checkOpen(record: StoredApproval, move: "approve" | "deny" | "cancel"): number {
    const now = this.#options.now();
    const state = stateAt(record, now);
    if (state === "expired") throw goneRefusal(record, "expired");
    if (nextState(state, move) === null) throw notPending(record);
    return now;
  }

  #sign(record: StoredApproval, by: Principal, until: number): ReturnType<typeof signGrant> {
    const { hostId, signer } = this.#options;
    return signGrant({ record, person: by.id, validUntil: new Date(until).toISOString(), hostId, signer: signer() });
  }

  #show(reader: Principal, record: StoredApproval): ApprovalRecord {
    const args = this.#isCleared(reader, record) ? argumentsOf(record) : null;
    return shownOf(record, stateAt(record, this.#options.now()), args);
  }

  #isCleared(reader: Principal, { classification }: StoredApproval): boolean {
    return maySee(reader, classification, this.#options.classifications());
  }
}

const argumentsOf = ({ input }: StoredApproval): ApprovalRecord["arguments"] =>
  input === null ? null : (JSON.parse(input) as Record<string, unknown>);

const KEPT_ONLY: ReadonlySet<string> = new Set([
  "input",
  "commitment",
  "ttl_s",
  "classification",
  "confidential",
  "subject",
  "causation_id",
  "parent_id",
  "trace_id",
  "ended_at",
] satisfies Exclude<keyof StoredApproval, keyof ApprovalRecord>[]);

const shownOf = (record: StoredApproval, state: ApprovalState, args: ApprovalRecord["arguments"]): ApprovalRecord => {
  const members = Object.entries(record).filter(([name]) => !KEPT_ONLY.has(name));
  return { ...(Object.fromEntries(members) as unknown as ApprovalRecord), state, arguments: args };
};

const unknown = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no approval ${id.slice(0, 64)} that you may see.`,
    next: "`bailiwick approve` lists those that wait for you.",
  });

const mayNot = (id: string, why: string): Refusal =>
  new Refusal("not_visible", {
    message: `You may not decide about the approval ${id.slice(0, 64)}: ${why}`,
    next: "Ask a person who may; the approval says who: GET /v1/approvals/<id>, member required.",
  });

/** A no needs no look at the arguments; a yes to what one has not seen is none. */
const unseen = ({ id, classification }: StoredApproval, { id: by }: Principal): Refusal =>
  new Refusal("not_visible", {
    message: `You may not see the arguments of the call that ${id} is about, so you cannot allow it; you may refuse it.`,
    next: `Leave it to a person who may, or ask the operator to set auth.principals."${by}".clearance to "${classification}".`,
    details: { approval_id: id, data_classification: classification },
  });

const notPending = ({ id, state }: StoredApproval): Refusal =>
  new Refusal("stale_surface", {
    message: `The approval ${id} is ${state}: there is nothing to decide any more.`,
    next: "`bailiwick approve` lists those that wait for you.",
    details: { approval_id: id, state },
    retryable: false,
  });

const tooLong = (): Refusal =>
  new Refusal("bad_request", {
    message: `A reason has at most ${MAX_REASON} characters.`,
    next: "Shorten it and decide again.",
  });
