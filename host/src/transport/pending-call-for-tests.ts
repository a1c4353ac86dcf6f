/** A stand-in for the call path where a person has to decide first: it asks the queue of the stand-in governance. */
import type { Answer, HandleCall } from "../kernel/call.ts";
import { Refusal } from "../kernel/refusal.ts";
import { approvalOf } from "./approvals-for-tests.ts";
import { answerWith } from "./asking-call-for-tests.ts";
import type { TestDoor } from "./door-for-tests.ts";

export const APPROVAL = `apr_${"0".repeat(32)}`;
const EXPIRES = "2999-01-02T03:04:05.678Z";

const pending = (): Answer => ({
  ending: {
    kind: "refusal",
    stage: 8,
    refusal: new Refusal("approval_pending", {
      message: `p__pay waits for the approval ${APPROVAL}.`,
      next: "Ask.",
      details: { approval_id: APPROVAL, digest: "sha256:0", expires_at: EXPIRES, how: {} },
    }),
  },
  outcome: "denied",
  principal: null,
  evidenceId: "evt_1",
  tool: "p__pay",
  record: {
    invocationId: "inv_1",
    correlation: { id: "corr_1", causationId: null, parentId: null, traceId: null, fresh: false },
    capabilityId: "p__pay",
    capabilityVersion: "1.0.0",
    evidenceIds: ["evt_1"],
    startedAt: null,
    completedAt: 0,
  },
});

/** Of the door that is handed in later. */
export const pendingCall =
  (door: () => TestDoor): HandleCall =>
  async () => {
    const { queue } = door().governance;
    const record = queue.get(APPROVAL) ?? approvalOf(APPROVAL, { requested_by: "person:owner", expires_at: EXPIRES });
    queue.set(APPROVAL, record);
    return record.state === "granted" ? answerWith('{"content":[],"ran":true}') : pending();
  };
