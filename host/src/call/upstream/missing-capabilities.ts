/** The error for a caller of the modern era that did not declare what the server needed to ask with. */
import type { Ending } from "../../kernel/call.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";

const MISSING_CAPABILITY = -32021;

type ErrorEnding = Extract<Ending, { kind: "error" }>;

/** `upstream`: the server's own words. `indeterminate`: it began all the same, and nobody knows what it did. */
export const missingCapabilities = (
  needed: Readonly<Record<string, unknown>>,
  upstream: RawJson,
  indeterminate?: Refusal,
): ErrorEnding => {
  const lacks = `The call needs a client that declares: ${Object.keys(needed).join(", ")}.`;
  const message = indeterminate ? `${lacks} ${indeterminate.message} ${indeterminate.next}` : lacks;
  const json = rawJson(
    `{"code":${MISSING_CAPABILITY},"message":${JSON.stringify(message)},` +
      `"data":{"requiredCapabilities":${JSON.stringify(needed)},"upstream":${upstream}}}`,
  );
  return { kind: "error", code: MISSING_CAPABILITY, json, ...(indeterminate && { indeterminate }) };
};
