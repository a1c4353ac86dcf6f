/**
 * Whether policy refuses somebody's calls of a tool whatever the arguments are: then nobody need try. It asks stage 6 itself, with
 * nothing counted. What only a person's yes or time keeps back is not refused outright.
 */
import { ARGS_NOT_KEPT } from "../kernel/args-not-kept.ts";
import type { Door, Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RefusalKind } from "../kernel/refusals.ts";
import type { Equipped, Permitted } from "../kernel/stages.ts";
import type { WorkspaceSurfaces } from "./surface/workspace-surfaces.ts";

/** Null: it depends on the call, or there is no such tool for them. */
export type RefusedOutright = (principal: Principal, flatName: string) => Refusal | null;

const LASTING: ReadonlySet<RefusalKind> = new Set<RefusalKind>(["policy_denied", "permission_missing"]);

export const createRefusedOutright =
  (surfaces: Pick<WorkspaceSurfaces, "of">, policy: (call: Equipped) => Permitted, door: Door): RefusedOutright =>
  (principal, flatName) => {
    const target = surfaces.of(principal, null)?.findTool(flatName);
    if (!target) return null;
    const call = { door, operation: "call", name: flatName, args: ARGS_NOT_KEPT, envelope: null, principal, target };
    try {
      // What a rule about arguments says is not asked of these.
      policy(call as unknown as Equipped);
      return null;
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      return LASTING.has(no.kind) ? no : null;
    }
  };
