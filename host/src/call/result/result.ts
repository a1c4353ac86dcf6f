/** Stage 12: what the spine hands back to a door. */
import type { Answer } from "../../kernel/call.ts";
import type { Closed } from "../../kernel/stages.ts";

export const result = (call: Closed): Answer => ({
  ending: call.ending,
  outcome: call.outcome,
  principal: call.principal,
  evidenceId: call.evidenceId,
  tool: call.target.flatName,
});
