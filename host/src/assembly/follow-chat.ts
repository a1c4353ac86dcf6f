/**
 * One message to a host in another process, from request to result. A connection that breaks is taken up again where it
 * was, so that each event is heard once; the message itself is never sent twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatResult, RunEvent } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../kernel/refusals.ts";
import { askHost, type Reachable } from "./ask-host.ts";
import { lostHost } from "./lost-host.ts";
import { readChatStream } from "./read-chat-stream.ts";

export interface ChatToFollow {
  /** As `POST /v1/chat/stream` takes it. */
  readonly body: object;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: RunEvent) => void;
}

type Ending = Extract<RunEvent, { type: "done" | "error" }>;

/** Together less than the minute for which a run goes on without a listener. */
const PAUSES_MS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800];

export const followChat = async (host: Reachable, { body, signal, onEvent }: ChatToFollow): Promise<ChatResult> => {
  const hearing = createHearing(onEvent, (conversation) => {
    const cancel = (): void => void cancelRun(host, conversation);
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    return () => signal?.removeEventListener("abort", cancel);
  });
  try {
    await readChatStream(host, { path: "/v1/chat/stream", body, onEvent: hearing.hear }).catch((error: Error) => {
      throw error instanceof Refusal ? error : notBegun(host, error);
    });
    const ending = hearing.ending() ?? (await takeUp(host, hearing));
    return resultOf(ending);
  } finally {
    hearing.close();
  }
};

interface Hearing {
  readonly hear: (id: number | null, event: RunEvent) => void;
  last(): number;
  runId(): string | null;
  conversationId(): string | null;
  ending(): Ending | null;
  close(): void;
}

/** `onStart`: called with the conversation; returns what to call when the run is over. */
const createHearing = (
  onEvent: (event: RunEvent) => void,
  onStart: (conversationId: string) => () => void,
): Hearing => {
  let last = 0;
  let runId: string | null = null;
  let conversationId: string | null = null;
  let ending: Ending | null = null;
  let close = (): void => {};
  return {
    hear(number, event) {
      const id = number ?? last + 1;
      if (id <= last || ending !== null) return;
      last = id;
      // What a child tells begins and ends nothing here.
      if (event.parentRunId === undefined) {
        runId ??= event.runId;
        if (event.type === "done" || event.type === "error") ending = event;
        if (event.type === "chat.start" && conversationId === null) {
          ({ conversationId } = event);
          close = onStart(conversationId);
        }
      }
      onEvent(event);
    },
    last: () => last,
    runId: () => runId,
    conversationId: () => conversationId,
    ending: () => ending,
    close: () => close(),
  };
};

const takeUp = async (host: Reachable, hearing: Hearing): Promise<Ending> => {
  const runId = hearing.runId();
  if (runId === null) throw notBegun(host, new Error("no event came"));
  const path = `/v1/runs/${encodeURIComponent(runId)}/events`;
  for (let failed = 0; ;) {
    const pause = PAUSES_MS[failed];
    if (pause === undefined) throw lost(host, hearing.conversationId());
    await sleep(pause);
    const before = hearing.last();
    await readChatStream(host, { path, after: before, onEvent: hearing.hear }).catch((error: Error) => {
      if (error instanceof Refusal && !error.retryable) throw lost(host, hearing.conversationId());
    });
    const ending = hearing.ending();
    if (ending !== null) return ending;
    failed = hearing.last() > before ? 0 : failed + 1;
  }
};

/** A run that hears nothing of it is cancelled anyway, a minute after the last listener has gone. */
const cancelRun = async (host: Reachable, conversationId: string): Promise<void> => {
  const path = `/v1/conversations/${encodeURIComponent(conversationId)}/cancel`;
  await askHost(host, { method: "POST", path, body: {} }).catch(() => {});
};

const resultOf = (ending: Ending): ChatResult => {
  if (ending.type === "done") {
    const { type: _, ...result } = ending;
    return result;
  }
  const { error, message, remedy } = ending;
  throw new Refusal(Object.hasOwn(REFUSALS, error) ? error : ("upstream_failed" satisfies RefusalKind), {
    message,
    next: remedy ?? "Run `bailiwick doctor`.",
  });
};

const notBegun = ({ origin }: Reachable, error: Error): Refusal =>
  lostHost(origin, error, { before: "the run began", repeated: "the message" });

const lost = ({ origin }: Reachable, conversationId: string | null): Refusal =>
  new Refusal("indeterminate", {
    message: `The connection to the host at ${origin} was lost, and the run cannot be taken up again; it may have acted.`,
    next:
      conversationId === null
        ? "See what it recorded before you repeat the message: bailiwick evidence tail"
        : `See what it recorded, then go on: bailiwick chat --resume ${conversationId}`,
  });
