/**
 * Asks gates 2 to 6 once more about a call that is under way, before an answer from outside goes to its server: the key may
 * be revoked by now, the tool gone or the policy another one. Asked for whoever brought the answer, since that may be with
 * another key or a fresh token.
 */
import { Refusal } from "../kernel/refusal.ts";
import type { RawCall } from "../kernel/call.ts";
import type { Presented } from "../kernel/principal.ts";
import type { Identified, Opened, Permitted, Surfaced } from "../kernel/stages.ts";
import type { Stages } from "./handle-call.ts";

export interface Gates extends Pick<Stages, "identity" | "lifecycle" | "environment" | "policy"> {
  readonly surface: (call: Identified) => Surfaced;
}

/** Gates 2 to 6, in their order; throws the Refusal of the one that says no. */
export const createReenter =
  ({ identity, surface, lifecycle, environment, policy }: Gates) =>
  (call: RawCall): Permitted =>
    policy(environment(lifecycle(surface(identity(call)))));

/** Throws the Refusal of the gate that says no. */
export const createRecheck = (gates: Gates): ((call: Opened, presented: Presented) => void) => {
  const reenter = createReenter(gates);
  return (call, presented) => {
    const { surface: _listed, verified: _then, ...raw } = call;
    const now = reenter({ ...raw, presented, surface: null, verified: null });
    const { flatName, tool } = call.target;
    if (now.target.tool?.definition === tool?.definition) return;
    throw new Refusal("stale_surface", {
      message: `${flatName} changed while it waited for an answer.`,
      next: "List the tools again and repeat the call.",
    });
  };
};
