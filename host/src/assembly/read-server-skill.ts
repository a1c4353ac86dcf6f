/** A file of a skill that a bundle serves, read on the one call path as whoever wants it. */
import type { RemoteRead } from "../agent/skills/read-remote-skill.ts";
import { NOBODY } from "../kernel/ask.ts";
import type { HandleCall } from "../kernel/call.ts";
import { NO_MEMBERS } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";

export const readServerSkill =
  (handleCall: HandleCall) =>
  async ({ provider, uri, principal, signal }: RemoteRead): Promise<string> => {
    const { ending } = await handleCall({
      door: "agent",
      operation: "read",
      name: uri,
      provider: null,
      args: {},
      argsJson: null,
      extraParams: NO_MEMBERS,
      meta: NO_MEMBERS,
      providerHint: provider,
      traceparent: null,
      // Whoever wants it was verified a moment ago; nothing but that is believed.
      presented: { kind: "none" },
      verified: { principal, at: Date.now() },
      surface: null,
      signal,
      listener: { progress: () => {}, log: () => {}, level: () => null },
      asker: NOBODY,
      input: null,
      continues: null,
      envelope: null,
      approvalWaitMs: 0,
    });
    if (ending.kind === "refusal") throw ending.refusal;
    const { contents = [] } = ending.kind === "result" ? (JSON.parse(ending.json) as Contents) : {};
    const text = contents[0]?.text;
    if (typeof text === "string") return text;
    throw new Refusal("upstream_failed", {
      message: `${provider} does not give out the text of its skill.`,
      next: "Go on without it; the author of the bundle has to mend it.",
    });
  };

interface Contents {
  readonly contents?: readonly { readonly text?: unknown }[];
}
