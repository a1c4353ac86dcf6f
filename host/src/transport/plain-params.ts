/** The params of a call that says nothing but its name and its arguments. */
import { NO_MEMBERS, type RawJson } from "../kernel/raw-json.ts";
import type { JsonObject } from "./protocol.ts";
import type { CallParams } from "./read-call-params.ts";

export const plainParams = (name: string, args: JsonObject, argsJson: RawJson | null): CallParams => ({
  name,
  args,
  argsJson,
  extraParams: NO_MEMBERS,
  meta: NO_MEMBERS,
  providerHint: null,
  traceparent: null,
  surface: null,
  progressToken: null,
  logLevel: null,
  capabilities: null,
  responses: null,
});
