/** Why a request ends when the connection of its caller does. */
import { Refusal } from "../kernel/refusal.ts";

export const callerLeft = (): Refusal =>
  new Refusal("cancelled", {
    message: "The caller closed its request.",
    next: "Repeat the call if it is still wanted.",
  });
