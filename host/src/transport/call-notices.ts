/** What one caller hears while its call runs, under its own token and from its own log level up. */
import type { CallListener } from "../kernel/provider.ts";
import type { RawMembers } from "../kernel/raw-json.ts";
import type { NoticeSink } from "./notice-sink.ts";
import { LOG_LEVELS } from "./protocol.ts";
import { createRisingProgress } from "./rising-progress.ts";
import { notificationText } from "./rpc-text.ts";

/** For callers that asked to hear nothing. */
export const SILENT: CallListener = Object.freeze({ progress: () => {}, log: () => {}, level: () => null });

export interface NoticeOrder {
  readonly progressToken: string | null;
  /** Asked at each line, since a session's level may change while a call runs; null: no logs. */
  readonly level: () => string | null;
}

const levelOf = (members: RawMembers): number => {
  try {
    const { level } = JSON.parse(`{${members}}`) as { level?: unknown };
    return LOG_LEVELS.indexOf(level as string);
  } catch {
    return -1;
  }
};

export const createCallNotices = (reply: NoticeSink, { progressToken, level }: NoticeOrder): CallListener => {
  const rising = createRisingProgress();
  return {
    level,
    progress: (said) => {
      if (progressToken === null) return;
      const members = rising(said);
      const params = `"progressToken":${progressToken}${members === "" ? "" : ","}${members}`;
      reply.progress(progressToken, notificationText("notifications/progress", params));
    },
    log: (members) => {
      const wanted = level();
      if (wanted !== null && levelOf(members) >= LOG_LEVELS.indexOf(wanted)) {
        reply.log(notificationText("notifications/message", members));
      }
    },
  };
};
