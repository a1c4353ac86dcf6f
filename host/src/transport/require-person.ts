/**
 * Lets people pass. What brings in code, takes it away or says yes to what it offers is a person's to decide, and nobody
 * else can ask one for that yet.
 */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

/** `command`: how a person does it. Throws the refusal of all others. */
export const requirePerson = ({ kind, id }: Principal, command: string): void => {
  if (kind === "person") return;
  throw new Refusal("escalation_required", {
    message: `${id} is no person, and this needs a person's approval, which cannot be asked for yet.`,
    next: `Ask a person to run: ${command}`,
    details: { reason: "approvals_unavailable" },
    // The same again is refused again.
    retryable: false,
  });
};
