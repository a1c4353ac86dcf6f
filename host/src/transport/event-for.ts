/**
 * An event as one member hears it; null: not at all. A key hears of the bundles of which it may name something; what failed
 * in which words, and what the configuration says, is for those who steer them. Of an approval hears who asked for it or
 * may decide it. Pure.
 */
import type { Approvals } from "../kernel/approvals.ts";
import { mayName } from "../kernel/may-name.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { WorkspaceEvent } from "../kernel/workspace-event.ts";
import { hasPermission } from "./require-permission.ts";
import { seesBundle } from "./sees-bundle.ts";

/** What there is to see, and for whom. */
interface Seen {
  readonly surfaces: Pick<Surfaces, "providers">;
  readonly approvals: Pick<Approvals, "get">;
}

export const eventFor = (
  principal: Principal,
  { type, data }: WorkspaceEvent,
  { surfaces, approvals }: Seen,
): WorkspaceEvent | null => {
  if (type.startsWith("approval."))
    return approvals.get(principal, String(data["id"])) === null ? null : { type, data };
  if (hasPermission(principal, "bundles:manage")) return { type, data };
  if (type.startsWith("config.")) return null;
  const about = data["server"] ?? (type.startsWith("bundle.") ? data["name"] : undefined);
  if (typeof about === "string" && !hears(principal, about, surfaces)) return null;
  if (!type.startsWith("bundle.")) return { type, data };
  const { message: _message, reason: _reason, ...rest } = data;
  return { type, data: rest };
};

/** A bundle that was removed is in no list any more; by then only the scopes say whose it was to name. */
const hears = (principal: Principal, bundle: string, surfaces: Pick<Surfaces, "providers">): boolean =>
  mayName(principal.scopes ?? [], bundle) || seesBundle(principal, bundle, surfaces);
