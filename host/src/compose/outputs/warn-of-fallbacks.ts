/** A word about components that are only stand-ins: their generator could not make them when they were stored. Pure. */
import type { AssemblyPlan } from "../assemble/plan-assembly.ts";
import type { AssemblyWarning } from "./check-dependencies.ts";
import type { Component } from "./read-parts.ts";

export const warnOfFallbacks = (
  { parts }: Pick<AssemblyPlan, "parts">,
  components: readonly Component[],
): readonly AssemblyWarning[] => {
  const placeOf = ({ content_id, version_id }: Omit<Component, "size_bytes">): string => `${content_id} ${version_id}`;
  const standIns = parts.flatMap(({ versions }) => versions.filter(({ fallback }) => fallback === true));
  const places = new Set(standIns.map(placeOf));
  const ids = new Set(components.filter((each) => places.has(placeOf(each))).map(({ content_id: id }) => id));
  if (ids.size === 0) return [];
  const message =
    `Their generators could not make these, and the stand-ins of their configs are used: ${[...ids].join(", ")}. ` +
    "Call regenerate_content for each, then assemble_artifact with force true.";
  return [{ code: "fallback_used", pointer: "/content/children", message }];
};
