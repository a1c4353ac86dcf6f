/**
 * Invariants that the host enforces by itself. One of a kind that it does not know cannot be seen to hold, so it does not;
 * what else may enforce one is not asked here.
 */
import { ARGS_NOT_KEPT } from "../../kernel/args-not-kept.ts";
import type { Invariant } from "../../kernel/capability.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Equipped } from "../../kernel/stages.ts";

type InvariantCall = Pick<Equipped, "args" | "target">;

/** What is wrong, for people, and what is missing; null: it holds. */
const brokenBy = (
  { kind, parameters }: Invariant,
  { args }: InvariantCall,
): { why: string; missing: string[] } | null => {
  const { fields } = parameters;
  if (kind !== "required_payload_fields" || !Array.isArray(fields))
    return { why: `this host cannot check an invariant of kind ${JSON.stringify(kind)}`, missing: [] };
  if (args === ARGS_NOT_KEPT) return null;
  const missing = fields.map(String).filter((field) => !Object.hasOwn(args, field) || args[field] === undefined);
  return missing.length === 0 ? null : { why: `${missing.join(", ")} must be given`, missing };
};

/** A warning is left to whoever reads the descriptor, and there is nothing that a call could be degraded to. */
const binds = ({ enforcement, failure_behavior: failure }: Invariant): boolean =>
  enforcement === "host" && failure !== "warn";

export const judgeInvariants = (call: InvariantCall): Refusal | null => {
  for (const invariant of call.target.capability.invariants) {
    if (!binds(invariant)) continue;
    const broken = brokenBy(invariant, call);
    if (broken === null) continue;
    const { why, missing } = broken;
    return new Refusal("invariant_failed", {
      message: `${call.target.flatName} does not run: ${why} (invariant ${JSON.stringify(invariant.id)}).`,
      next:
        missing.length > 0
          ? `Add ${missing.join(", ")} to the arguments.`
          : "Ask the operator to correct the invariant.",
      details: { invariant_id: invariant.id, missing },
    });
  }
  return null;
};
