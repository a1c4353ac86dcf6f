/** A call as a door hands it in, of somebody who shows nothing and says nothing beside it. */
import { NOBODY, NOTHING_DECLARED } from "../kernel/ask.ts";
import type { RawCall } from "../kernel/call.ts";
import { NO_MEMBERS } from "../kernel/raw-json.ts";

export const RAW: Omit<RawCall, "signal"> = {
  door: "mcp",
  operation: "call",
  name: "p__t",
  provider: null,
  args: {},
  argsJson: null,
  extraParams: NO_MEMBERS,
  meta: NO_MEMBERS,
  providerHint: null,
  traceparent: null,
  presented: { kind: "none" },
  verified: null,
  surface: null,
  listener: { progress: () => {}, log: () => {}, level: () => null },
  asker: { ...NOBODY, declared: NOTHING_DECLARED },
  input: null,
  continues: null,
  envelope: null,
  approvalWaitMs: 0,
};
