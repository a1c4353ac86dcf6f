/**
 * Asks gates 2 to 6 once more about a call that is under way, before an answer from outside goes to its server: the key may
 * be revoked by now, the tool gone or the policy another one. Asked for whoever brought the answer, since that may be with
 * another key or a fresh token.
 */
import { idsOf } from "../kernel/call-ids.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RawCall } from "../kernel/call.ts";
import type { Presented } from "../kernel/principal.ts";
import { clientRootsNow } from "../kernel/roots-of-call.ts";
import { advance, type Identified, type Opened, type Permitted, type Surfaced, type Valid } from "../kernel/stages.ts";
import type { Stages } from "./handle-call.ts";

export interface Gates extends Pick<Stages, "identity" | "lifecycle" | "environment" | "policy"> {
  readonly surface: (call: Identified) => Surfaced;
}

/** Gates 2 to 6, in their order; throws the Refusal of the one that says no. */
export const createReenter =
  ({ identity, surface, lifecycle, environment, policy }: Gates) =>
  (call: RawCall): Permitted =>
    policy(environment(lifecycle(surface(identity(call)))));

const changed = ({ target }: Permitted): Refusal =>
  new Refusal("stale_surface", {
    message: `${target.flatName} changed while it waited for an answer.`,
    next: "List the tools again and repeat the call.",
  });

/** Throws the Refusal of the gate that says no. */
export const createRecheck = (gates: Gates): ((call: Opened, presented: Presented) => void) => {
  const reenter = createReenter(gates);
  return (call, presented) => {
    const { surface: _listed, verified: _then, ...raw } = call;
    const clientRoots = clientRootsNow(call);
    const now = reenter({ ...raw, presented, clientRoots, surface: null, verified: null });
    if (now.target.tool?.definition !== call.target.tool?.definition) throw changed(call);
  };
};

/**
 * The same with gate 7, about a call that waited before it began: what the gates say now takes the place of what they said
 * then, in the call itself. The gates are those of calls that begin: it has not been counted.
 */
export const createReassess = (gates: Gates, input: Stages["input"]): ((call: Valid) => Valid) => {
  const reenter = createReenter(gates);
  return (call) => {
    // Before it is copied: both are one call, with one id.
    idsOf(call);
    const { surface: _listed, verified: _then, ...raw } = call;
    const clientRoots = clientRootsNow(call);
    const now = input(reenter({ ...raw, clientRoots, surface: null, verified: null }));
    if (now.target.tool?.definition !== call.target.tool?.definition) throw changed(call);
    const { principal, target, lifecycle, required, verdict, canonicalArgs, roots, resolvedArgs, guardrails } = now;
    const found = { clientRoots, canonicalArgs, roots, resolvedArgs, guardrails };
    return advance(call, { principal, target, lifecycle, required, verdict, ...found });
  };
};
