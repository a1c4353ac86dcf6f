/** What only those may do who manage the workspace: the answer to everybody else. */
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";

const PERMISSION = "bundles:manage";

/** `what`: such as `bundles`. Refusal `permission_missing`. */
export const requirePermission = ({ id, permissions }: Principal, what: string): void => {
  if (covers(permissions, PERMISSION)) return;
  throw new Refusal("permission_missing", {
    message: `${id} may not manage ${what}.`,
    next: `Ask the owner to do it, or for a key made with "bailiwick key create --name <name> --permission ${PERMISSION}".`,
    details: { required_permission: PERMISSION, missing: [PERMISSION] },
  });
};
