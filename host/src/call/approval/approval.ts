/**
 * Stage 8. What needs a person's approval of each exact call is refused, since nobody can be asked for one yet; for all else
 * none is demanded, and that is part of the call.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Approved, type Valid } from "../../kernel/stages.ts";

/** Providers of which every tool runs what its caller wrote. */
const NEEDS_APPROVAL: ReadonlySet<string> = new Set(["bash"]);

export const approval = async (call: Valid): Promise<Approved> => {
  const { provider, tool, flatName } = call.target;
  if (tool !== null && NEEDS_APPROVAL.has(provider.name)) throw refuse(flatName);
  return advance(call, { approval: null });
};

const refuse = (flatName: string): Refusal =>
  new Refusal("escalation_required", {
    message: `${flatName} needs a person's approval of each exact command, and approvals are not available yet.`,
    next: "Run the command yourself in a terminal, or use a tool made for what it is to do.",
    details: { capability_id: flatName, reason: "approvals_unavailable" },
    // The same call again is refused again.
    retryable: false,
  });
