/** Lets those pass who may: the owner, and keys that were given the permission. Throws the refusal of all others. */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

type Permission = "keys:manage" | "bundles:manage";

export const hasPermission = ({ permissions }: Principal, permission: Permission): boolean =>
  permissions.includes(permission) || permissions.includes("*");

export const requirePermission = (principal: Principal, permission: Permission): void => {
  if (hasPermission(principal, permission)) return;
  const [things] = permission.split(":");
  throw new Refusal("permission_missing", {
    message: `${principal.id} may not manage ${things}.`,
    next: `Use the owner key, or a key made with "bailiwick key create --name <name> --permission ${permission}".`,
    details: { required_permission: permission, missing: [permission] },
  });
};
