/** A record of the queue for the tests of this room. */
import type { ApprovalRecord } from "../kernel/approvals.ts";

export const approvalOf = (id: string, over: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id,
  state: "pending",
  digest: "sha256:0",
  invocation_id: "inv_1",
  correlation_id: "corr_1",
  capability: { id: "p__pay", version: "1.0.0", definition: "sha256:1" },
  tool: "p__pay",
  arguments: { amount: 5 },
  requested_by: "agent:planner",
  on_behalf_of: "person:owner",
  workspace: "ws_default",
  door: "mcp",
  rule: "refunds",
  risk_tier: "high",
  required: { count: 1, approvers: [], four_eyes: false },
  decisions: [],
  created_at: "2026-01-02T03:04:05.678Z",
  expires_at: "2026-01-02T04:04:05.678Z",
  ...over,
});
