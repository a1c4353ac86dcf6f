/** Lets people pass. What brings in code, takes it away or says yes to what it offers is a person's to do. */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

/** `command`: how a person does it. Throws the refusal of all others. */
export const requirePerson = ({ kind, id }: Principal, command: string): void => {
  if (kind === "person") return;
  throw new Refusal("escalation_required", {
    message: `${id} is no person, and only a person may do this.`,
    next: `Ask a person to run: ${command}`,
    details: { reason: "person_required" },
    // The same again is refused again.
    retryable: false,
  });
};
