/** The "no" of a log that cannot be written, for what was to be written. */
import { Refusal } from "../kernel/refusal.ts";
import type { Question } from "./worker-messages.ts";

export const unavailable = (reason: string, undone = "Nothing runs unrecorded, so the call was not made."): Refusal =>
  new Refusal("evidence_unavailable", {
    message: `Evidence cannot be written: ${reason}. ${undone}`,
    next: "Run `bailiwick doctor` on the host; it names the file and what is wrong with it.",
  });

const UNDONE: Readonly<Record<Question["ask"], string>> = {
  checkpoint: "No checkpoint was made.",
  "sign-with": "The log goes on with the key that it had.",
  purge: "Nothing was purged.",
  retain: "What is too old stays for now; the next run of retention goes on from here.",
  withhold: "The payload is still there.",
};

/** Of a question to the worker: says what was not done. */
export const unanswered = (reason: string, { ask }: Question): Refusal => unavailable(reason, UNDONE[ask]);
