/**
 * Adds to a call that goes on without its request: what was done to its task, and once, perhaps in another run of the host,
 * its outcome. All it needs of the call is plain data.
 */
import type { Ending } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { EvidenceDraft, EvidenceLog } from "../../kernel/evidence.ts";
import { stable } from "../../kernel/stable.ts";
import type { Opened } from "../../kernel/stages.ts";
import type { OpenInvocation } from "../../kernel/tasks.ts";
import { capabilityOf, subjectOfCall } from "./describe-call.ts";
import { ENDING_TYPES } from "./ending-types.ts";
import { endedPayload, outcomeOf } from "./event-payloads.ts";

export interface TaskEvidence {
  /** What is to be kept of a call whose outcome comes later. */
  readonly describe: (call: Opened) => OpenInvocation;
  /** Something was done in the course of it; durable when it resolves. `said` is committed to, not kept. */
  readonly note: (invocation: OpenInvocation, note: TaskNote) => Promise<void>;
  /** Its outcome; durable when it resolves. */
  readonly end: (invocation: OpenInvocation, ended: Ended) => Promise<void>;
}

interface TaskNote {
  readonly type:
    | "dev.bailiwick.task_created"
    | "dev.bailiwick.task_cancel"
    | "dev.bailiwick.round"
    | "dev.bailiwick.late_answer";
  readonly facts: Readonly<Record<string, unknown>>;
  /** Texts under the names that their commitments get. */
  readonly said?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly ending: Ending;
  readonly durationMs: number;
}

export const createTaskEvidence = (log: EvidenceLog): TaskEvidence => ({
  describe: (call) => {
    const { id, version, uri } = capabilityOf(call);
    const { invocation } = call;
    return {
      id: invocation.id,
      // Events of this correlation exist by the time it is used.
      correlation: { ...invocation.correlation, fresh: false },
      salt: invocation.salt.toString("hex"),
      capabilityId: id,
      capabilityVersion: version,
      capabilityUri: uri,
      subject: subjectOfCall(call),
    };
  },

  async note(invocation, { type, facts, said = {} }) {
    const salt = Buffer.from(invocation.salt, "hex");
    const commitments = Object.fromEntries(Object.entries(said).map(([name, text]) => [name, commit(salt, text)]));
    const payload = stable({ capability_uri: invocation.capabilityUri, ...facts, ...commitments });
    await log.append({ ...draftOf(invocation, type), outcome: null, payload, error: "null", denial: "null" });
  },

  async end(invocation, { ending, durationMs }) {
    const { outcome, error, denial } = outcomeOf(ending);
    const salt = Buffer.from(invocation.salt, "hex");
    const payload = endedPayload({ uri: invocation.capabilityUri, salt, ending, durationMs });
    await log.append({ ...draftOf(invocation, ENDING_TYPES[outcome]), outcome, payload, error, denial });
  },
});

const draftOf = (
  invocation: OpenInvocation,
  type: string,
): Omit<EvidenceDraft, "outcome" | "payload" | "error" | "denial"> => ({
  type,
  invocationId: invocation.id,
  capabilityId: invocation.capabilityId,
  capabilityVersion: invocation.capabilityVersion,
  correlation: invocation.correlation,
  subject: invocation.subject,
});
