/** The "no" by which a run ends. A ModelError has no secret in its text, so that text may be passed on. */
import type { ModelError } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";

const AGAIN = "Send the message again";

/** Whoever cancelled it may have said why. */
export const cancelled = ({ reason }: AbortSignal): Refusal =>
  reason instanceof Refusal && reason.kind === "cancelled"
    ? reason
    : new Refusal("cancelled", {
        message: "The run was cancelled.",
        next: "What it wrote and did so far is kept; send another message to go on.",
      });

export const throwIfCancelled = (signal: AbortSignal): void => {
  if (signal.aborted) throw cancelled(signal);
};

/** `what`: the call of a tool, the end of a run. */
export const evidenceUnavailable = (what: string): Refusal =>
  new Refusal("evidence_unavailable", {
    message: `Evidence of ${what} cannot be written, and nothing runs unrecorded, so the run ended.`,
    next: "Run `bailiwick doctor` on the host, mend what it names, then send another message to go on.",
  });

export interface Tries {
  readonly attempts: number;
  /** A part of the answer had come, so the same call could not be made again. */
  readonly isBegun: boolean;
}

export const modelFailed = (error: ModelError, { attempts, isBegun }: Tries): Refusal => {
  if (error.kind === "unconfigured") {
    return new Refusal("model_unconfigured", {
      message: error.message,
      next: "Set what it names, then send the message again; all but chat works without it.",
    });
  }
  const { kind, retryAfterMs } = error;
  const tried = attempts > 1 ? ` It was tried ${attempts} times.` : "";
  const cut = isBegun ? " What had come of the answer is kept." : "";
  return new Refusal("model_failed", {
    message: `${error.message}${tried}${cut}`,
    next: nextAfter(error),
    details: { reason: kind, attempts },
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    retryable: RETRIED.has(kind),
  });
};

/** What passes by itself. */
export const RETRIED: ReadonlySet<ModelError["kind"]> = new Set(["rate_limited", "overloaded", "network"]);

const nextAfter = ({ kind, retryAfterMs }: ModelError): string => {
  switch (kind) {
    case "rate_limited":
    case "overloaded":
      return retryAfterMs === null || retryAfterMs === 0
        ? `${AGAIN} in a minute, or choose another model.`
        : `${AGAIN} in ${Math.ceil(retryAfterMs / 1_000)} seconds, or choose another model.`;
    case "network":
      return `${AGAIN}; if it fails again, run \`bailiwick doctor\` on the host, which checks the model.`;
    case "overflow":
      return "Start a new conversation, or choose a model with a larger window.";
    default:
      return "Run `bailiwick doctor` on the host, which checks the model, correct bailiwick.json, and send the message again.";
  }
};
