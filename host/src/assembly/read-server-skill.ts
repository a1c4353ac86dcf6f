/** A file of a skill that a bundle serves, read on the one call path as whoever wants it. */
import type { RemoteRead } from "../agent/skills/read-remote-skill.ts";
import type { SkillReading } from "../agent/skills/skill-reader.ts";
import { NOBODY } from "../kernel/ask.ts";
import type { HandleCall } from "../kernel/call.ts";
import { NO_ENVELOPE } from "../kernel/envelope.ts";
import { NO_MEMBERS } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";

export const readServerSkill =
  (handleCall: HandleCall) =>
  async ({ provider, uri, reader, signal }: RemoteRead): Promise<string> => {
    const { within } = reader;
    const { ending } = await handleCall({
      door: reader.door,
      operation: "read",
      name: uri,
      provider: null,
      args: {},
      argsJson: null,
      extraParams: NO_MEMBERS,
      meta: NO_MEMBERS,
      providerHint: provider,
      traceparent: null,
      // It may have waited since it was verified, so it is verified again.
      presented: reader.presented,
      verified: null,
      surface: null,
      signal,
      listener: { progress: () => {}, log: () => {}, level: () => null },
      asker: NOBODY,
      input: null,
      continues: null,
      envelope: within && {
        ...NO_ENVELOPE,
        correlationId: within.correlationId,
        causationId: within.invocationId,
        context: within.run && contextOf(within.run),
      },
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

const contextOf = ({ runId, conversationId }: NonNullable<SkillReading["run"]>): Readonly<Record<string, unknown>> => ({
  run_id: runId,
  ...(conversationId !== null && { conversation_id: conversationId }),
});

interface Contents {
  readonly contents?: readonly { readonly text?: unknown }[];
}
