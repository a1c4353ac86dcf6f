/** Approvals: what waits for a person, and what was allowed for a while. */
import type { Family } from "./described.ts";
import { anyObject, between, count, flag, list, object, order, orNull, ref, said, text, time, word } from "./schema.ts";

const STATE = word("pending", "granted", "denied", "expired", "cancelled", "consumed");
const AT = ["id"];

export const APPROVALS: Family = {
  tag: "approvals",
  routes: {
    "GET /v1/approvals": {
      id: "listApprovals",
      summary: "Those that the caller asked for or may decide, newest first",
      query: { state: STATE, limit: between(1, 200), cursor: text },
      answers: [
        { text: "A page of them", schema: object({ approvals: list(ref("Approval")), nextCursor: orNull(text) }) },
      ],
    },
    "GET /v1/approvals/*": {
      id: "getApproval",
      summary: "One approval, with the exact call",
      at: AT,
      answers: [{ text: "The approval", schema: ref("Approval") }],
    },
    "POST /v1/approvals/*": {
      id: "decideApproval",
      summary: "Say yes or no; for persons",
      at: AT,
      body: { schema: order({ decision: word("approve", "deny"), "reason?": { type: "string", maxLength: 2000 } }) },
      answers: [{ text: "The decided approval", schema: ref("Approval") }],
      refusals: ["not_visible", "approval_expired", "stale_surface", "evidence_unavailable"],
    },
    "DELETE /v1/approvals/*": {
      id: "withdrawApproval",
      summary: "Take back what the caller asked for",
      at: AT,
      answers: [{ text: "The cancelled approval", schema: ref("Approval") }],
      refusals: ["not_visible", "stale_surface", "evidence_unavailable"],
    },
    "GET /v1/standing-approvals": {
      id: "listStandingApprovals",
      summary: "What was allowed ahead of its calls",
      answers: [{ text: "Those there are", schema: object({ standing: list(ref("StandingApproval")) }) }],
    },
    "POST /v1/standing-approvals": {
      id: "grantStandingApproval",
      summary: "Allow calls ahead; for persons",
      body: {
        schema: order({
          tools: said("Flat names", list(text)),
          principal: text,
          "arguments?": said("Tests as {path, op, value}", list(anyObject)),
          "max_uses?": { type: "integer", minimum: 1 },
          expires_at: said("Within 30 days", time),
        }),
      },
      answers: [{ status: 201, text: "What is allowed from now on", schema: ref("StandingApproval") }],
      refusals: ["not_visible", "evidence_unavailable"],
    },
    "DELETE /v1/standing-approvals/*": {
      id: "revokeStandingApproval",
      summary: "Allow it no more; for persons",
      at: AT,
      answers: [{ text: "What was allowed until now", schema: ref("StandingApproval") }],
      refusals: ["not_visible", "evidence_unavailable"],
    },
  },
  schemas: {
    Approval: object({
      id: text,
      state: STATE,
      digest: said("Of the one exact call that it is for"),
      invocation_id: text,
      correlation_id: text,
      capability: object({ id: text, version: text, definition: orNull(text) }),
      tool: text,
      arguments: said("Null: the reader may not see them", orNull(anyObject)),
      requested_by: text,
      "on_behalf_of?": text,
      "chain?": list(text),
      workspace: text,
      door: text,
      rule: text,
      risk_tier: text,
      required: object({ count, approvers: list(list(text)), four_eyes: flag }),
      decisions: list(object({ by: text, decision: word("approve", "deny"), at: time, "reason?": text })),
      created_at: time,
      expires_at: time,
      "consumed_by?": text,
      "reason?": text,
    }),
    StandingApproval: object({
      id: text,
      tools: list(text),
      principal: text,
      "arguments?": list(anyObject),
      "max_uses?": count,
      uses: count,
      expires_at: time,
      granted_by: text,
      workspace: text,
    }),
  },
};
