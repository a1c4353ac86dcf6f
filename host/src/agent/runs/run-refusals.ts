/** Every "no" of the runs. */
import { Refusal } from "../../kernel/refusal.ts";

const RETRY_S = 5;

/** `follows`: whether who asks may follow the run that goes on. */
export const runInProgress = (
  { id, conversationId }: { readonly id: string; readonly conversationId: string },
  follows: boolean,
): Refusal => {
  const cancel = `cancel it: POST /v1/conversations/${conversationId}/cancel`;
  return new Refusal("run_in_progress", {
    message: `A run of the conversation ${conversationId} is going on.`,
    next: follows
      ? `Follow it (GET /v1/runs/${id}/events) and send the message when it has ended, or ${cancel}`
      : `Send the message again when it has ended, or ${cancel}`,
    details: { conversationId, ...(follows ? { runId: id } : {}) },
  });
};

/** `used`: how many of somebody go on. */
export const tooManyRuns = (owner: string, used: number): Refusal =>
  new Refusal("rate_limited", {
    message: `${used} runs of ${owner} are going on, which is the limit.`,
    next: "Wait until one of them has ended, or cancel one: POST /v1/conversations/<id>/cancel",
    details: { limit: used, used, retry_after_s: RETRY_S },
    retryAfterMs: RETRY_S * 1000,
  });

export const unknownRun = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no run ${JSON.stringify(id.slice(0, 80))} for you: it was never there, is somebody else's, or ended too long ago.`,
    next: "Read what it left in its conversation: GET /v1/conversations/<id>/history",
  });

export const hostStops = (): Refusal =>
  new Refusal("not_ready", {
    message: "The host stops, so it begins no run.",
    next: "Send the message again when it has been started.",
  });

const cancelled = (id: string, why: string): Refusal =>
  new Refusal("cancelled", {
    message: `The run ${id} was cancelled: ${why}`,
    next: "Send a message to the conversation to go on; what was done so far is in it.",
  });

export const cancelledByPerson = (id: string): Refusal => cancelled(id, "somebody asked for it.");

export const cancelledUnheard = (id: string, seconds: number): Refusal =>
  cancelled(id, `nobody followed it for ${seconds} seconds.`);

export const cancelledAtStop = (id: string): Refusal => cancelled(id, "the host stops.");

/** A bug of ours, without its inside. */
export const brokenRun = (id: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The run ${id} ended because of an error in the host.`,
    next: "Ask whoever runs the host: its log says why. What was done so far is in the conversation.",
  });

export const endlessText = (id: string, bytes: number): Refusal =>
  new Refusal("model_failed", {
    message: `The run ${id} ended: its model wrote in so many pieces that they take more than ${bytes >> 20} MiB.`,
    next: "Send a message to go on, or choose another model; what came so far is in the conversation.",
    retryable: false,
  });
