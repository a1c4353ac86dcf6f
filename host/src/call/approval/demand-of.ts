/** Which approval a call needs: what policy, the capability and its autonomy demand, added up. Null: none. */
import { addDemands, DEFAULT_TTL_S } from "../../kernel/add-demands.ts";
import type { ApprovalDemand, Capability } from "../../kernel/capability.ts";
import type { Valid } from "../../kernel/stages.ts";

const plain = (rule: string): ApprovalDemand => ({
  rule,
  approvers: null,
  count: 1,
  fourEyes: false,
  ttlS: DEFAULT_TTL_S,
});

const ofCapability = (
  { approval, approvalRequired, autonomy }: Capability,
  byPerson: boolean,
): ApprovalDemand | null => {
  if (approvalRequired) return approval ?? plain("approval_required");
  const tier = autonomy?.tier;
  const asks = tier === "approval_required" || (tier === "human_driven" && !byPerson);
  return asks ? (approval ?? plain(`autonomy:${tier}`)) : null;
};

export const demandOf = ({ verdict, target, principal }: Valid): ApprovalDemand | null => {
  const { capability } = target;
  if (verdict.demand === null && !capability.approvalRequired && capability.autonomy === null) return null;
  const own = ofCapability(capability, principal.kind === "person");
  // The form that the overlay gives approvals of this tool holds for whoever demands one.
  return addDemands(own ?? (verdict.demand && capability.approval), verdict.demand);
};
