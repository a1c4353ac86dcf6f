/**
 * Every "no" that an upstream leg says, with what a person or program does next.
 */
import { Refusal } from "../../kernel/refusal.ts";

const QUEUE_RETRY_MS = 1_000;

/** What shortens a queue. */
const waitLess = (when: string, oneAtATime: boolean): string =>
  oneAtATime
    ? `Try again ${when}: this server asks its callers questions, so its calls run one at a time.`
    : `Try again ${when}, or raise \`concurrency\` of this bundle's entry.`;

export const queueFull = (queued: number, oneAtATime: boolean): Refusal =>
  new Refusal("not_ready", {
    message: `This provider already has ${queued} calls waiting; nothing was sent.`,
    next: waitLess(`in ${QUEUE_RETRY_MS} ms`, oneAtATime),
    details: { error: "queue_full" },
    retryAfterMs: QUEUE_RETRY_MS,
  });

export const queuedTooLong = (waitedMs: number, oneAtATime: boolean): Refusal =>
  new Refusal("not_ready", {
    message: `The call waited ${waitedMs} ms for its turn; nothing was sent.`,
    next: waitLess("later", oneAtATime),
    details: { error: "queue_timeout" },
    retryAfterMs: QUEUE_RETRY_MS,
  });

/** No socket took it. */
export const noConnection = (waitedMs: number): Refusal =>
  new Refusal("not_ready", {
    message: `The call waited ${waitedMs} ms for a connection to the server; nothing was sent.`,
    next: "Try again; if it goes on, check that the server at `url` of this bundle's entry can be reached.",
    details: { error: "connect_timeout" },
    retryAfterMs: QUEUE_RETRY_MS,
  });

/** Nothing of the call reached the server. */
export const notSent = (reason: string, error = "connection_ended"): Refusal =>
  new Refusal("not_ready", {
    message: `The connection to this provider is gone (${reason}); nothing was sent.`,
    next: "Try again; the host reconnects by itself.",
    details: { error },
    retryAfterMs: QUEUE_RETRY_MS,
  });

export const credentialRejected = (status: number): Refusal =>
  new Refusal("upstream_failed", {
    message: `The server rejected this host's credential (HTTP ${status}); the call did not run.`,
    next: "Put a valid credential into `transport.auth` of this bundle's entry and start the bundle again.",
    details: { reason: "auth_rejected", status },
  });

export const cancelledBeforeSend = (): Refusal =>
  new Refusal("cancelled", {
    message: "The call was cancelled before it was sent.",
    next: "Nothing happened; call again if it is still wanted.",
  });

const CHECK_EFFECT = "Check whether the effect took place, then decide whether to call again.";

/** Sent, and nobody knows. `error` is what evidence says about the why. */
export const unknownOutcome = (error: "cancelled" | "timeout" | "connection_lost", because: string): Refusal =>
  new Refusal("indeterminate", {
    message: `The call was sent, and its outcome is unknown: ${because}.`,
    next: CHECK_EFFECT,
    details: { error },
  });

/** The server asked, and did not get what the caller answered. */
export const answerUndelivered = (because: string): Refusal =>
  unknownOutcome("connection_lost", `the answer to its question did not reach the server (${because})`);

/** The server answered, and the answer cannot be used. */
export const unusableAnswer = (reason: string, because: string, details: Record<string, unknown> = {}): Refusal =>
  new Refusal("upstream_failed", {
    message: `The provider's answer cannot be used: ${because}.`,
    next: "Report it to the author of the bundle; the call itself may have had its effect.",
    details: { reason, ...details },
  });

export const messageTooLarge = (maxBytes: number): Refusal =>
  unusableAnswer("message_too_large", `it is larger than ${maxBytes} bytes`, { maxBytes });

export const controlTimeout = (method: string, waitedMs: number): Refusal =>
  new Refusal("timed_out", {
    message: `The server did not answer ${method} within ${waitedMs} ms.`,
    next: "Look at what the server wrote: bailiwick bundle logs <name>",
    details: { error: "timeout", method },
  });
