/** What a rule calls it that a call does. */
import type { RuledCall } from "./rule.ts";

export type RuledOperation = "call" | "read" | "prompt" | "host-resources";

export const operationOf = ({ operation, target }: Pick<RuledCall, "operation" | "target">): RuledOperation => {
  if (operation === "call" || operation === "prompt" || operation === "host-resources") return operation;
  // A completion is for an argument of a prompt, or of a resource's URI.
  return operation === "complete" && !target.flatName.endsWith(":resources") ? "prompt" : "read";
};
