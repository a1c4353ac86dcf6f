/**
 * Stage 8 for a call that needs an approval: finds the one it has, or asks for one and waits as long as the caller does. What
 * it finds is used up in stage 9, together with the intent.
 */
import type { Admission } from "../../kernel/admission.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { isConfidential } from "../../kernel/data-class.ts";
import type { EvidenceLog } from "../../kernel/evidence.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { advance, type Approved, type Valid } from "../../kernel/stages.ts";
import { cancelledEvent, decidedEvent, expiredEvent, requestedEvent } from "./approval-events.ts";
import { cancelledRefusal, goneRefusal, pendingRefusal } from "./approval-refusals.ts";
import { BegunCalls } from "./begun-calls.ts";
import { decide } from "./decide.ts";
import type { DecisionWaiters } from "./decision-waiters.ts";
import { isPinned, judgeCall, type Asked, type Docket, type Judgement } from "./judge-call.ts";
import { checkRoom, newApproval, requesterOf } from "./new-approval.ts";
import { endApproval, stateAt, type StoredApproval } from "./stored-approval.ts";
import { verifyOwnGrants } from "./verify-own-grants.ts";

const PROGRESS_MS = 10_000;

export interface StageOptions extends Docket {
  readonly log: Pick<EvidenceLog, "append">;
  readonly waiters: DecisionWaiters;
  readonly classifications: () => readonly string[];
  /**
   * Asks the gates before this one again about a call that waited, which then has what they say now; throws the Refusal of the
   * one that says no. Null: no approval is demanded any more.
   */
  readonly reassess: (call: Valid) => Asked | null;
}

/** How a call waits: until when, and what it has heard so far. */
interface Wait {
  readonly until: number;
  told: number;
  on: StoredApproval | null;
}

export class ApprovalStage {
  readonly #options: StageOptions;
  readonly #begun = new BegunCalls();

  constructor(options: StageOptions) {
    this.#options = options;
  }

  async admit(first: Asked): Promise<Approved> {
    let asked = first;
    const earlier = asked.call.continues && this.#begun.get(asked.call.continues.invocationId);
    // Stage 9 goes on with the same invocation; should it have to begin another, what was used is found to be used.
    if (earlier?.key === asked.key) return this.#pass(asked, earlier.approval);
    const wait: Wait = { until: this.#options.now() + asked.call.approvalWaitMs, told: 0, on: null };
    for (;;) {
      const judgement = judgeCall(this.#options, asked);
      if (judgement.kind === "refuse") throw judgement.refusal;
      if (judgement.kind === "standing") return this.#pass(asked, judgement.entry.standing.id);
      if (judgement.kind === "use" && (await this.#isUsable(judgement.record)))
        return this.#pass(asked, judgement.record.id);
      const next = await this.#act(judgement, asked, wait);
      if (next === null) return advance(asked.call, { approval: null });
      asked = next;
    }
  }

  /** Everything that takes time; afterwards it is judged again, as what it is then. */
  async #act(judgement: Judgement, asked: Asked, wait: Wait): Promise<Asked | null> {
    if (judgement.kind === "wait") return this.#wait(judgement.record, asked, wait);
    if (judgement.kind === "ask") await this.#ask(asked, wait);
    if (judgement.kind === "grant") await this.#takeGrant(judgement, asked);
    if (judgement.kind !== "lapsed") return asked;
    await this.expire(judgement.record.id);
    if (wait.on?.id === judgement.record.id) throw goneRefusal(judgement.record, "expired");
    return asked;
  }

  async expire(id: string): Promise<void> {
    await this.#options.ledger.change(id, (record) => {
      const now = this.#options.now();
      if (record.state === "expired" || stateAt(record, now) !== "expired") return null;
      return { next: endApproval(record, now, { state: "expired" }), event: expiredEvent(record) };
    });
  }

  /** Not while it is being changed, and not when what is kept of it is not what was signed. */
  async #isUsable({ id }: StoredApproval): Promise<boolean> {
    const { ledger, hostId, now } = this.#options;
    const changing = ledger.changing(id);
    if (changing !== null) {
      await changing;
      return false;
    }
    const record = ledger.find(id);
    if (record === null) return false;
    const believed = { hostId, isPinned: (key: string) => isPinned(this.#options, key) };
    if (verifyOwnGrants(record, believed)) return true;
    await ledger.change(id, (current) => {
      if (current.state !== "granted") return null;
      const next = endApproval(current, now(), { state: "cancelled", reason: "its grant does not verify" });
      return { next, event: cancelledEvent(next, null) };
    });
    return false;
  }

  async #ask(asked: Asked, wait: Wait): Promise<void> {
    const { ledger, now, classifications } = this.#options;
    const before = wait.on && ledger.find(wait.on.id);
    if (before && (before.state === "expired" || before.state === "cancelled")) throw goneRefusal(before, before.state);
    checkRoom(ledger.index, asked);
    const confidential = isConfidential(asked.call.target.capability.classification, classifications());
    const next = newApproval(asked, { now: now(), confidential });
    const { correlation, evidenceIds } = idsOf(asked.call);
    const event = requestedEvent(next, correlation.fresh);
    // From now on there is an event of this correlation.
    correlation.fresh = false;
    evidenceIds.push(await ledger.create({ next, event }));
  }

  /** A yes that was signed elsewhere, with a key that is pinned here, counts like a person's. */
  async #takeGrant({ grant, publicKey }: Extract<Judgement, { kind: "grant" }>, asked: Asked): Promise<void> {
    const { ledger, used, now } = this.#options;
    const current = ledger.index.current(asked.key);
    if (current === null || stateAt(current, now()) !== "pending") {
      return this.#ask(asked, { until: 0, told: 0, on: null });
    }
    let undo = (): void => {};
    try {
      await ledger.change(current.id, (record) => {
        const at = now();
        if (stateAt(record, at) !== "pending" || used.takenFor(grant, publicKey) !== null) return null;
        const old = used.dropOld(at);
        const taken = used.take(grant, publicKey, record.id);
        undo = taken.undo;
        const by = `key:${publicKey}`;
        const decision = { by, decision: "approve", at: new Date(at).toISOString(), grant } as const;
        const until = Math.min(at + record.ttl_s * 1_000, Date.parse(String(grant["valid_until"])));
        const next = decide(record, decision, { at, until });
        return { next, event: decidedEvent(next, { by, person: null }), writes: [taken.write, ...old] };
      });
    } catch (no) {
      undo();
      throw no;
    }
  }

  async #wait(record: StoredApproval, asked: Asked, wait: Wait): Promise<Asked | null> {
    const { ledger, now, waiters, reassess } = this.#options;
    const { call } = asked;
    const changing = ledger.changing(record.id);
    if (changing !== null) {
      await changing;
      return asked;
    }
    const left = wait.until - now();
    if (left <= 0) {
      await this.#noteJoined(record, call);
      throw pendingRefusal(record);
    }
    if (wait.on?.id !== record.id) call.listener.waits?.(record);
    wait.on = record;
    const tell = (): void =>
      call.listener.progress(rawMembers(`"progress":${++wait.told},"message":"waiting for approval ${record.id}"`));
    tell();
    const ticking = setInterval(tell, PROGRESS_MS);
    const expiry = Date.parse(record.expires_at) - now();
    await waiters.wait(record.id, { ms: Math.min(left, expiry), signal: call.signal, uses: true });
    clearInterval(ticking);
    try {
      if (call.signal.aborted) throw cancelledRefusal(record);
      const next = reassess(call);
      if (next?.key !== asked.key) this.#passOn(record);
      return next;
    } catch (no) {
      this.#passOn(record);
      throw no;
    }
  }

  /** A correlation that the caller named tells that an approval was asked for, also when another call had asked for it before. */
  async #noteJoined(record: StoredApproval, call: Valid): Promise<void> {
    const { correlation, evidenceIds } = idsOf(call);
    if ((call.envelope?.correlationId ?? null) === null || correlation.id === record.correlation_id) return;
    const event = requestedEvent({ ...record, ...requesterOf(call) }, false);
    evidenceIds.push((await this.#options.log.append(event)).eventId);
  }

  /** Who was woken to use it does not use it now. */
  #passOn({ id }: StoredApproval): void {
    const { ledger, waiters } = this.#options;
    waiters.changed(id, ledger.find(id)?.state ?? "pending");
  }

  #pass({ call, digest, key, demand }: Asked, id: string): Approved {
    const { ledger, standing } = this.#options;
    const inner: Admission = id.startsWith("sap_")
      ? standing.admission(id, call.target.capability.uri)
      : { take: (invocation) => ledger.consume(id, invocation.id) };
    const take: Admission["take"] = (invocation) => {
      const taken = inner.take(invocation);
      this.#begun.add(invocation.id, { key, approval: id });
      return taken;
    };
    joinCorrelation(call, ledger.find(id));
    return advance(call, { approval: { id, digest, rule: demand.rule, admission: { take } } });
  }
}

/** A call whose caller named no correlation goes on in the one in which it was asked for, so that one trace has it all. */
const joinCorrelation = (call: Valid, record: StoredApproval | null): void => {
  if (record === null || (call.envelope?.correlationId ?? null) !== null) return;
  const { invocationId, correlation } = idsOf(call);
  const causationId = invocationId === record.invocation_id ? correlation.causationId : record.invocation_id;
  Object.assign(correlation, { id: record.correlation_id, causationId, fresh: false });
};
