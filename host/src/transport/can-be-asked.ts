/** Whether a client declared anything that a server could ask of it. */
import type { Declared } from "../kernel/ask.ts";

export const canBeAsked = ({ value }: Declared): boolean =>
  value["elicitation"] !== undefined || value["sampling"] !== undefined || value["roots"] !== undefined;
