/**
 * Takes back what a revoked key leaves behind: what was approved in advance with it and, where its principal has no other
 * one, what that principal asked for. A person asks as itself, and through the program behind which it stands at an MCP door.
 */
import type { CallPath } from "../call/create-call-path.ts";
import { MCP_CLIENT } from "../call/identity/principal-of.ts";
import type { KeyRow } from "../kernel/key.ts";

export const withdrawOf = async (
  path: Pick<CallPath, "cancelApprovals" | "endStanding">,
  { name, as, for: behalf }: Pick<KeyRow, "name" | "as" | "for">,
  isLast: boolean,
): Promise<void> => {
  await path.endStanding(({ granted_by: by, credential }) =>
    by === as && credential === name ? "The key that it was granted with was revoked." : null,
  );
  if (!isLast) return;
  await path.cancelApprovals(({ requested_by: by, on_behalf_of: of }) => {
    const isOwn = by === as && (of ?? null) === behalf;
    return isOwn || (by === MCP_CLIENT && of === as) ? "The key of its requester was revoked." : null;
  });
};
