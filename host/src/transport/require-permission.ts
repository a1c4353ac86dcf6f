/** Lets those pass who may: the owner, and keys that were given the permission. Throws the refusal of all others. */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";

export const requirePermission = (
  { id, permissions }: Principal,
  permission: "keys:manage" | "bundles:manage",
): void => {
  if (permissions.includes(permission) || permissions.includes("*")) return;
  const [things] = permission.split(":");
  throw new Refusal("permission_missing", {
    message: `${id} may not manage ${things}.`,
    next: `Use the owner key, or a key made with "bailiwick key create --name <name> --permission ${permission}".`,
    details: { required_permission: permission, missing: [permission] },
  });
};
