/** Approvals for one who is known beforehand: the terminal or a program in this process. */
import type { Approvals } from "../kernel/approvals.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ApprovalControl } from "./host.ts";

export const controlApprovals = (approvals: Approvals, who: Principal): ApprovalControl => ({
  list: async (state) => [...approvals.list(who, state === undefined ? {} : { state })],
  async get(id) {
    const record = approvals.get(who, id);
    if (record !== null) return record;
    throw new Refusal("not_found", {
      message: "There is no such approval that you asked for or may decide.",
      next: "List those that wait: bailiwick approve",
    });
  },
  decide: (id, order) => approvals.decide(who, id, order),
  cancel: (id) => approvals.cancel(who, id),
  standing: async () => approvals.standing(who),
  grantStanding: (order) => approvals.grantStanding(who, order),
  revokeStanding: (id) => approvals.revokeStanding(who, id),
});
