/**
 * Calls whose server wants answers first and whose caller went to fetch them. The caller may come back on any connection
 * and then goes on with the same invocation; if it does not in time, the call ends as `indeterminate`. A state that is
 * presented after that, or a second time, is a call of its own that names the first as its cause. Of the call only what
 * evidence needs is kept.
 */
import type { Continued, InputWanted } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { EvidenceLog } from "../../kernel/evidence.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable } from "../../kernel/stable.ts";
import { targetKey, type Approved, type Invocation, type Sent, type Surfaced } from "../../kernel/stages.ts";
import { capabilityOf } from "./describe-call.ts";
import { draftOf } from "./draft-of.ts";

const KEPT_MS = 3_600_000;
const SWEEP_MS = 60_000;
const MAX_A_PRINCIPAL = 64;
const MAX_A_HOST = 1_000;

interface Parked {
  readonly invocation: Invocation;
  readonly owner: string;
  readonly continues: Continued;
  readonly until: number;
  /** The event that ends the call if nobody comes back, but for its payload. */
  readonly ending: ReturnType<typeof draftOf>;
  readonly uri: string;
}

export class OpenRounds {
  readonly #log: EvidenceLog;
  readonly #reportBug: (error: unknown) => void;
  readonly #parked = new Map<string, Parked>();
  #timer: NodeJS.Timeout | null = null;

  constructor(log: EvidenceLog, reportBug: (error: unknown) => void) {
    this.#log = log;
    this.#reportBug = reportBug;
  }

  park(call: Sent, { continues }: InputWanted): void {
    const { invocation } = call;
    const owner = principalName(call.principal);
    const ending = draftOf(call, "execution_indeterminate");
    const { uri } = capabilityOf(call);
    this.#makeRoom(owner);
    this.#parked.set(invocation.id, { invocation, owner, continues, until: Date.now() + KEPT_MS, ending, uri });
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Whether this request goes on with a call that is open: such a one met the gates when it began. */
  isOpen({ continues, target, principal }: Surfaced): boolean {
    return continues !== null && targetKey(target) === continues.target && this.#find(continues, principal) !== null;
  }

  /** The invocation that this request goes on with, its answers recorded; null when it is over, or another principal's. */
  async resume(call: Approved, continues: Continued): Promise<Invocation | null> {
    const { invocationId, target } = continues;
    if (targetKey(call.target) !== target) throw changed(call);
    const parked = this.#find(continues, call.principal);
    if (parked === null) return null;
    this.#parked.delete(invocationId);
    try {
      await this.#recordAnswers(call, parked);
    } catch (no) {
      this.#parked.set(invocationId, parked);
      throw no;
    }
    return parked.invocation;
  }

  #find({ invocationId, round }: Continued, principal: Principal): Parked | null {
    const parked = this.#parked.get(invocationId);
    return parked?.continues.round === round && parked.owner === principalName(principal) ? parked : null;
  }

  async #recordAnswers(call: Approved, { invocation, continues, uri }: Parked): Promise<void> {
    await this.#log.append({
      ...draftOf(call, "dev.bailiwick.round", invocation),
      outcome: null,
      payload: stable({
        capability_uri: uri,
        round: continues.round,
        question_commitment: continues.questions,
        answer_commitment: commit(invocation.salt, call.input?.responses ?? "null"),
      }),
      error: "null",
      denial: "null",
    });
  }

  /** Of those that are too many the oldest ends, of the same principal first. */
  #makeRoom(owner: string): void {
    const own = [...this.#parked.values()].filter((parked) => parked.owner === owner);
    if (own.length >= MAX_A_PRINCIPAL && own[0]) this.#abandon(own[0], "too_many_open");
    if (this.#parked.size < MAX_A_HOST) return;
    for (const oldest of this.#parked.values()) return this.#abandon(oldest, "too_many_open");
  }

  #sweep(): void {
    const now = Date.now();
    for (const parked of this.#parked.values()) if (parked.until <= now) this.#abandon(parked, "caller_did_not_return");
    if (this.#parked.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #abandon({ invocation, continues, ending, uri }: Parked, reason: string): void {
    this.#parked.delete(invocation.id);
    const { round, questions } = continues;
    const payload = stable({ capability_uri: uri, reason, round, question_commitment: questions });
    this.#log
      .append({ ...ending, outcome: "indeterminate", payload, error: "null", denial: "null" })
      .catch((no: unknown) => (no instanceof Refusal ? null : this.#reportBug(no)));
  }
}

const changed = ({ target }: Approved): Refusal =>
  new Refusal("stale_surface", {
    message: `${target.flatName} is not what it was when it asked, so the answers were not sent to it.`,
    next: "List the tools again and repeat the call without requestState.",
  });
