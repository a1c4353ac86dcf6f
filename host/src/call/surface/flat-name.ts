/**
 * Names in the flat namespace: `provider__name`, the first `__` separates. A name that is too long for clients is listed
 * under an alias that depends on the full name and the limit alone, so nothing else that is installed can change it.
 */
import { hash } from "node:crypto";

export const flatName = (provider: string, name: string): string => `${provider}__${name}`;

/** All that a provider has to read is governed under one name, which no tool can have. */
export const resourcesName = (provider: string): string => `${provider}:resources`;

export const splitFlatName = (flat: string): { provider: string; name: string } | null => {
  const at = flat.indexOf("__");
  return at <= 0 ? null : { provider: flat.slice(0, at), name: flat.slice(at + 2) };
};

export const listedName = (flat: string, maxLength: number): string =>
  flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 9)}_${hash("sha256", flat).slice(0, 8)}`;
