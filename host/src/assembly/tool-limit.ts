/** How long a call may take where its provider says so; null: nothing ends it but its caller. */
import type { KeptBundle } from "../bundles/make-bundle.ts";
import { isObject } from "../kernel/is-object.ts";
import type { ToolFacts } from "../kernel/tool-facts.ts";

export const toolLimit = ({ provider, tool, timeoutMs }: ToolFacts, bundles: readonly KeptBundle[]): number | null => {
  const bundle = bundles.find(({ name }) => name === provider);
  if (bundle !== undefined) return Math.min(timeoutMs ?? bundle.entry.timeoutMs, bundle.entry.maxTimeoutMs);
  // Of a tool of a skill package, whose script is ended then.
  const meta = tool.value["_meta"];
  const dcc = isObject(meta) ? meta["dcc"] : null;
  const seconds = isObject(dcc) ? dcc["timeoutHintSecs"] : null;
  return typeof seconds === "number" ? seconds * 1_000 : null;
};
