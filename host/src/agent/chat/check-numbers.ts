/** Numbers of a message, which a program may give as it likes: one that is none would switch its limit off. */
import { Refusal } from "../../kernel/refusal.ts";
import type { ChatStart } from "./chat-parts.ts";

/** Refusal `bad_request`. */
export const checkNumbers = ({ order: { maxIterations }, waitMs }: Pick<ChatStart, "order" | "waitMs">): void => {
  if (maxIterations !== null && !(Number.isSafeInteger(maxIterations) && maxIterations >= 1)) {
    throw noNumber("maxIterations", maxIterations, "a whole number from 1 on");
  }
  if (!Number.isFinite(waitMs) || waitMs < 0) throw noNumber("approvalWaitMs", waitMs, "a number of ms from 0 on");
};

const noNumber = (name: string, given: unknown, wanted: string): Refusal =>
  new Refusal("bad_request", {
    message: `${name} is ${String(given).slice(0, 40)}, and must be ${wanted}.`,
    next: `Give ${wanted}, or leave it out.`,
  });
