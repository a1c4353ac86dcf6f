/** Runs what evidence has the start of, and records its end, however it ends: a person's run and a delegate's alike. */
import type { ChatResult } from "../../kernel/agent.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { evidenceUnavailable } from "../loop/loop-refusals.ts";
import type { AgentPorts, RunEnded, RunRecord } from "./agent-ports.ts";

export interface RecordedRun {
  readonly ports: Pick<AgentPorts, "recordEnd" | "report">;
  readonly record: RunRecord;
  readonly by: Principal;
  readonly correlationId: string;
  /** Asked when it has failed; null: nobody cancelled it. Absent: it is not cancelled by itself. */
  readonly cancelledBy?: () => string | null;
}

/** Refusal `evidence_unavailable` where its end could not be recorded. */
export const recordedRun = async <Result extends Pick<ChatResult, "stopReason" | "inputTokens" | "outputTokens">>(
  { ports, record, by, correlationId, cancelledBy = () => null }: RecordedRun,
  work: () => Promise<Result>,
): Promise<Result> => {
  const recordEnd = (how: RunEnded): Promise<void> => ports.recordEnd(record, by, how);
  try {
    const result = await work();
    const { stopReason, inputTokens, outputTokens } = result;
    await recordEnd({ correlationId, stopReason, inputTokens, outputTokens }).catch((error: unknown) => {
      ports.report(error);
      throw evidenceUnavailable(`the end of the run ${record.runId}`);
    });
    return result;
  } catch (error) {
    const who = cancelledBy();
    const how = { correlationId, error: error instanceof Refusal ? error.kind : "bug" };
    await recordEnd(who === null ? how : { ...how, cancelledBy: who }).catch(ports.report);
    throw error;
  }
};
