/**
 * One reader's stream of a run: each event with its number, and exactly one `done` or `error` at the end, whatever happens
 * here. What a slow reader has not taken stays with the run. A revoked credential ends it.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AgentRun, NumberedEvent } from "../kernel/agent.ts";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isStillKnown, type Caller } from "./authenticate.ts";
import { eventText } from "./chat-event-text.ts";
import { EVENT_STREAM_HEADERS } from "./event-frame.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { namedEvent } from "./named-event.ts";
import { restFailure } from "./rest-failure.ts";

interface ChatStreamOptions {
  readonly deps: ListenerDeps;
  readonly heartbeat: Heartbeat;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly run: AgentRun;
  /** The last event that the reader has; 0: none. */
  readonly after: number;
  /** The reader left; where its reason is a Refusal, it is told that and sent away. */
  readonly signal: AbortSignal;
}

type Next = IteratorResult<NumberedEvent, unknown>;

export const streamChat = async (options: ChatStreamOptions): Promise<void> => {
  const { res, heartbeat, run, after, signal } = options;
  const events = run.events(after, signal)[Symbol.asyncIterator]();
  const first = events.next();
  if (after > 0 && (await isOver(first))) {
    // A client that comes back by itself takes this for the end; anything else would bring it back for ever.
    if (!res.destroyed) res.writeHead(204).end();
    return;
  }
  res.writeHead(200, EVENT_STREAM_HEADERS);
  res.flushHeaders();
  heartbeat.add(res);
  try {
    await writeAll(options, first, () => events.next());
  } catch (error) {
    if (!signal.aborted || signal.reason instanceof Refusal) res.write(lastWord(options, error));
  } finally {
    heartbeat.remove(res);
    res.end();
    await events.return?.();
  }
};

/** Whether the reader has heard all of it. One that is still to say something does not answer at once. */
const isOver = (first: Promise<Next>): Promise<boolean> =>
  Promise.race([first.then(({ done }) => done === true), nextTurn(false)]);

const writeAll = async (
  { deps, res, caller, run, signal }: ChatStreamOptions,
  first: Promise<Next>,
  following: () => Promise<Next>,
): Promise<void> => {
  for (let next = await first; next.done !== true; next = await following()) {
    if (signal.aborted) break;
    if (!isStillKnown(deps, caller)) throw notKnownAnyMore();
    const { id, event } = next.value;
    const { type } = event;
    const isEnd = type === "done" || type === "error";
    // Only one of them is said, and that is not a child's.
    if (isEnd && event.parentRunId !== undefined) continue;
    const taken = res.write(namedEvent(type, eventText(event), id));
    if (isEnd) return;
    // Rejects when the reader leaves; there is no next event then.
    if (!taken) await once(res, "drain", { signal }).catch(() => {});
  }
  if (signal.reason instanceof Refusal) throw signal.reason;
  if (!signal.aborted) throw new HostError(`the run ${run.id} told no end`);
};

/** It is none of the run's events and has no number: the run may go on. */
const lastWord = ({ deps, run }: ChatStreamOptions, thrown: unknown): string => {
  const { error, message, remedy } = JSON.parse(restFailure(deps, thrown).text) as Record<string, unknown>;
  return namedEvent("error", JSON.stringify({ runId: run.id, error, message, remedy }));
};

const notKnownAnyMore = (): Refusal =>
  new Refusal("unauthenticated", {
    message: "The key or the login of this stream was revoked or has ended.",
    next: "Log in again or send another key, then go on with GET /v1/runs/<run id>/events and Last-Event-ID.",
  });
