/** What a host in another process decides and by which rules: its approvals, its policy, the keys it signs with and the evidence it lets go. */
import type { ApprovalRecord, StandingApproval } from "../kernel/approvals.ts";
import type { Purged, Redacted } from "../kernel/evidence-removal.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { HostKeyRow } from "../kernel/host-keys.ts";
import type { PolicyReport } from "../kernel/policy-report.ts";
import type { Ask, HostQuestion } from "./ask-host.ts";
import type { ApprovalControl, Host } from "./host.ts";

const get = (path: string): HostQuestion => ({ method: "GET", path });
const post = (path: string, body?: object): HostQuestion => ({ method: "POST", path, ...(body && { body }) });
const remove = (path: string): HostQuestion => ({ method: "DELETE", path });

export const attachGovernance = (
  ask: Ask,
): Pick<Host, "explain" | "approvals" | "policy" | "hostKeys" | "removal"> => ({
  explain: (name, args, { as } = {}) =>
    ask<Explanation>(
      post("/v1/tools/explain", { name, arguments: args, ...(as === undefined ? {} : { as }) }),
      "verdict",
      "stages",
    ),
  approvals: attachApprovals(ask),
  policy: () => ask<PolicyReport>(get("/v1/policy"), "mode", "rules", "diagnostics"),
  hostKeys: {
    list: async () => (await ask<{ keys: readonly HostKeyRow[] }>(get("/v1/host-key"), "keys")).keys,
    rotate: async () => (await ask<{ key: HostKeyRow }>(post("/v1/host-key/rotate"), "key")).key,
    revoke: async (order) => (await ask<{ key: HostKeyRow }>(post("/v1/host-key/revoke", order), "key")).key,
  },
  removal: {
    purge: (order) => ask<Purged>(post("/v1/evidence/purge", order), "correlation", "events"),
    redact: (order) => ask<Redacted>(post("/v1/evidence/redact", order), "sequence", "event_id"),
  },
});

interface ApprovalPage {
  readonly approvals: readonly ApprovalRecord[];
  readonly nextCursor: string | null;
}

const attachApprovals = (ask: Ask): ApprovalControl => {
  const at = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;
  return {
    async list(state) {
      const all: ApprovalRecord[] = [];
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({ ...(state && { state }), ...(cursor !== null && { cursor }) });
        const page: ApprovalPage = await ask<ApprovalPage>(get(`/v1/approvals?${query.toString()}`), "approvals");
        all.push(...page.approvals);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return all;
    },
    get: (id) => ask<ApprovalRecord>(get(at(id)), "id", "state"),
    decide: (id, { approve, reason }) => {
      const order = { decision: approve ? "approve" : "deny", ...(reason === undefined ? {} : { reason }) };
      return ask<ApprovalRecord>(post(at(id), order), "id", "state");
    },
    cancel: (id) => ask<ApprovalRecord>(remove(at(id)), "id", "state"),
    standing: async () =>
      (await ask<{ standing: readonly StandingApproval[] }>(get("/v1/standing-approvals"), "standing")).standing,
    grantStanding: (order) => ask<StandingApproval>(post("/v1/standing-approvals", order), "id"),
    revokeStanding: (id) => ask<StandingApproval>(remove(`/v1/standing-approvals/${encodeURIComponent(id)}`), "id"),
  };
};
