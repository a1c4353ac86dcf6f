/**
 * An event as one member hears it; null: not at all. A key hears of the bundles of which it may name something; what failed
 * in which words, and what the configuration says, is for those who steer them. Of an approval hears who asked for it or
 * may decide it. Whatever a key may steer, its scopes bind it where an event is about a tool or a skill. Of a conversation hears who sees it. Pure.
 */
import type { Approvals } from "../kernel/approvals.ts";
import { isInScope, mayName } from "../kernel/may-name.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Surfaces } from "../kernel/surface.ts";
import { seesConversation } from "../kernel/whose-conversation.ts";
import type { WorkspaceEvent } from "../kernel/workspace-event.ts";
import { hasPermission } from "./require-permission.ts";
import { seesBundle } from "./sees-bundle.ts";

/** What there is to see, and for whom. */
interface Seen {
  readonly surfaces: Pick<Surfaces, "providers" | "of">;
  readonly approvals: Pick<Approvals, "get">;
}

export const eventFor = (principal: Principal, event: WorkspaceEvent, seen: Seen): WorkspaceEvent | null => {
  const { type, data } = event;
  if (type.startsWith("approval.")) return seen.approvals.get(principal, String(data["id"])) === null ? null : event;
  if (type.startsWith("conversation.")) return seesConversation(principal, event.authors ?? []) ? event : null;
  if (principal.scopes !== null && !isInScopes(principal, event, seen)) return null;
  if (hasPermission(principal, "bundles:manage")) return event;
  if (type.startsWith("config.")) return null;
  if (!type.startsWith("bundle.")) return event;
  const { name } = data;
  if (typeof name === "string" && !hears(principal, name, seen.surfaces)) return null;
  const { message: _message, reason: _reason, ...rest } = data;
  return { type, data: rest };
};

/**
 * Of skills a key hears of packages whose tools it may name: which tools another skill is about is known only when it is read.
 */
const isInScopes = (principal: Principal, { type, data }: WorkspaceEvent, { surfaces }: Seen): boolean => {
  if (type.startsWith("skill.")) return mayName(principal.scopes ?? [], String(data["name"]));
  const { server, tool } = data;
  if (typeof server !== "string") return true;
  if (typeof tool !== "string") return mayName(principal.scopes ?? [], server);
  const flatName = `${server}__${tool}`;
  // Scopes may also be over outward ids, which the surface knows.
  return isInScope(principal.scopes, flatName) || (surfaces.of(principal, null)?.tool(flatName) ?? null) !== null;
};

/** A bundle that was removed is in no list any more; by then only the scopes say whose it was to name. */
const hears = (principal: Principal, bundle: string, surfaces: Pick<Surfaces, "providers">): boolean =>
  mayName(principal.scopes ?? [], bundle) || seesBundle(principal, bundle, surfaces);
