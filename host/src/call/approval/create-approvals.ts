/**
 * Stage 8 and all that belongs to it. A call that needs no approval passes; for any other the approval of that exact call is
 * found or asked for. Everything about approvals is durable with its event, and restored when the host starts.
 */
import type { Approvals } from "../../kernel/approvals.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Signer } from "../../kernel/signing.ts";
import { advance, type Approved, type Valid } from "../../kernel/stages.ts";
import { cancelledEvent } from "./approval-events.ts";
import { ApprovalLedger } from "./approval-ledger.ts";
import { ApprovalStage } from "./approval-stage.ts";
import { DecisionWaiters } from "./decision-waiters.ts";
import { demandOf } from "./demand-of.ts";
import { actionDigest } from "./digests.ts";
import { ExpiryClock } from "./expiry-clock.ts";
import { explainApproval, NOTHING_DEMANDED, type ExplainedApproval } from "./explain-approval.ts";
import { describeAsked, judgeCall, type Asked } from "./judge-call.ts";
import { isLive } from "./next-state.ts";
import { PeopleApprovals } from "./people-approvals.ts";
import type { StoredStanding } from "./standing-approval.ts";
import { StandingApprovals, type StandingOptions } from "./standing-approvals.ts";
import { endApproval, stateAt, type StoredApproval } from "./stored-approval.ts";
import { UsedGrants } from "./used-grants.ts";

const RETRY_MS = 60_000;

export interface ApprovalsOptions extends StandingOptions {
  /** The key that attests what people decide. */
  readonly signer: () => Signer;
  /** `approvals.approverKeys`, as they are now. */
  readonly approverKeys: () => readonly string[];
  /** `policy.classifications`, from public to most secret. */
  readonly classifications: () => readonly string[];
  /** Gates 2 to 7 once more, for a call that waited, in place; throws the Refusal. */
  readonly reassess: (call: Valid) => Valid;
}

export interface ApprovalRoom {
  readonly stage: (call: Valid) => Promise<Approved>;
  readonly approvals: Approvals;
  readonly explain: (call: Valid) => ExplainedApproval;
  /** The digest of this exact call, to be compared again before it is sent. */
  readonly digestOf: (call: Valid) => string;
  /** Cancels what is pending or granted and for which `why` has a reason. */
  cancelWhere(why: (record: StoredApproval) => string | null): Promise<void>;
  /** The same for those that were given in advance. */
  endStanding(why: (standing: StoredStanding) => string | null): Promise<void>;
  /** Of correlations that were purged, which took the records of those that are over with them. */
  forgetPurged(correlationIds: readonly string[]): void;
  close(): void;
}

export const createApprovals = (options: ApprovalsOptions): ApprovalRoom => {
  const { now } = options;
  const ledger = new ApprovalLedger(options);
  const standing = new StandingApprovals(options);
  const used = new UsedGrants(options.state);
  const waiters = new DecisionWaiters();
  const docket = { ...options, ledger, standing, used };
  const digestOf = (call: Valid): string => actionDigest(call, call.roots?.digest ?? null);
  const describe = (call: Valid): Asked | null => {
    const demand = demandOf(call);
    return demand && describeAsked(call, demand, digestOf(call));
  };
  const stage = new ApprovalStage({ ...docket, waiters, reassess: (call) => describe(options.reassess(call)) });

  const clock = keepTime(ledger, stage, options);
  ledger.onChange((record) => waiters.changed(record.id, record.state));

  return {
    digestOf,
    approvals: new PeopleApprovals({ ...docket, waiters }),
    async stage(call) {
      const asked = describe(call);
      return asked === null ? advance(call, { approval: null }) : stage.admit(asked);
    },
    explain(call) {
      const asked = describe(call);
      return asked === null ? NOTHING_DEMANDED : explainApproval(asked, judgeCall(docket, asked));
    },
    async cancelWhere(why) {
      // All at once: they share the commits, and none stays for long that nobody can decide to any end.
      const ended = [...ledger.index.live()].map(({ id }) =>
        ledger.change(id, (record) => {
          const reason = isLive(stateAt(record, now())) ? why(record) : null;
          if (reason === null) return null;
          const next = endApproval(record, now(), { state: "cancelled", reason });
          return { next, event: cancelledEvent(next, null) };
        }),
      );
      const failed = (await Promise.allSettled(ended)).find((each) => each.status === "rejected");
      if (failed) throw failed.reason;
    },
    endStanding: (why) => standing.endWhere(why),
    forgetPurged: (correlationIds) => ledger.index.forget(new Set(correlationIds)),
    close: () => clock.stop(),
  };
};

/** Records of each that ran out that it did, when nobody looks. */
const keepTime = (
  ledger: ApprovalLedger,
  stage: ApprovalStage,
  { now, reportBug }: Pick<ApprovalsOptions, "now" | "reportBug">,
): ExpiryClock => {
  const setAll = (): void => {
    for (const record of ledger.index.live()) clock.set(Date.parse(record.expires_at));
  };
  const expireDue = async (): Promise<void> => {
    const due = ledger.index.live().filter((record) => stateAt(record, now()) === "expired");
    for (const { id } of due) await stage.expire(id);
    setAll();
  };
  const clock = new ExpiryClock(() => {
    expireDue().catch((no: unknown) => {
      if (!(no instanceof Refusal)) reportBug(no);
      clock.set(now() + RETRY_MS);
    });
  }, now);
  setAll();
  ledger.onChange((record) => {
    if (isLive(record.state)) clock.set(Date.parse(record.expires_at));
  });
  return clock;
};
