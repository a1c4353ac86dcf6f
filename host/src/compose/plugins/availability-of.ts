/** Whether a generator has what it needs. One that has not stays listed, with what it misses. Pure. */
import type { GeneratorEntry } from "../generators/generator-entry.ts";

export interface Credentials {
  /** It is set in the host's environment or its store; of a plug-in: and granted to it. */
  has(name: string): boolean;
  /** Of one that it has not, what is lacking; absent: its value. */
  lacks?(name: string): { readonly value: boolean; readonly grant: boolean };
}

export type Availability =
  | { readonly status: "available" }
  | { readonly status: "unavailable"; readonly reason: string; readonly missing: readonly string[] };

export const availabilityOf = (
  { upstream_dependencies: upstream, unavailable }: Pick<GeneratorEntry, "upstream_dependencies" | "unavailable">,
  credentials: Credentials,
): Availability => {
  if (unavailable !== undefined) return { status: "unavailable", reason: unavailable, missing: [] };
  const missing = (upstream?.credentials_required ?? []).filter((name) => !credentials.has(name));
  if (missing.length === 0) return { status: "available" };
  const what = missing.length === 1 ? "Missing credential" : "Missing credentials";
  return { status: "unavailable", reason: `${what}: ${missing.join(", ")}`, missing };
};
