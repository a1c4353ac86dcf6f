/** Lets those pass who may: the owner, and keys that were given the permission. Throws the refusal of all others. */
import { covers } from "../kernel/covers.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

/** What each of them is for, as a refusal says it. */
const PERMISSIONS = {
  "keys:manage": "manage keys",
  "bundles:manage": "manage bundles",
  "host:admin": "administer the host",
  "policy:read": "read the policy, or ask what it says to somebody else",
} as const;

type Permission = keyof typeof PERMISSIONS;

export const hasPermission = ({ permissions }: Principal, permission: Permission): boolean =>
  covers(permissions, permission);

export const requirePermission = (principal: Principal, permission: Permission): void => {
  if (hasPermission(principal, permission)) return;
  throw new Refusal("permission_missing", {
    message: `${principal.id} may not ${PERMISSIONS[permission]}.`,
    next: `Use the owner key, or a key made with "bailiwick key create --name <name> --permission ${permission}".`,
    details: { required_permission: permission, missing: [permission] },
  });
};
