/** Stage 12: what the spine hands back to a door. */
import { addMeta } from "../../kernel/add-meta.ts";
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import type { RawMembers } from "../../kernel/raw-json.ts";
import type { Closed } from "../../kernel/stages.ts";

/** `notes`: members that the `_meta` of a tool's result gets; empty: none. */
export const createResult =
  (notes: (call: Closed) => RawMembers) =>
  (call: Closed): Answer => ({
    ending: noted(call, notes),
    outcome: call.outcome,
    principal: call.principal,
    evidenceId: call.evidenceId,
    tool: call.target.flatName,
    record: recordOf(call),
  });

const noted = (call: Closed, notes: (call: Closed) => RawMembers): Ending => {
  const { ending } = call;
  if (ending.kind !== "result" || call.operation !== "call") return ending;
  const members = notes(call);
  return members === "" ? ending : { ...ending, json: addMeta(ending.json, members) };
};

const recordOf = ({ invocation, target, completedAt }: Closed): CallRecord => ({
  invocationId: invocation.id,
  correlation: invocation.correlation,
  capabilityId: target.capability.id,
  capabilityVersion: target.capability.version,
  evidenceIds: invocation.evidenceIds,
  startedAt: invocation.startedAt,
  completedAt,
});
