/**
 * Gives the calls that are out their time, then ends what is left. A caller whose call is aborted here still hears how it
 * ended if the call path answers at once.
 */
import { Refusal } from "../kernel/refusal.ts";
import type { InFlight } from "./in-flight.ts";
import { within } from "./within.ts";

const LAST_WORDS_MS = 500;

export const drainCalls = async (inFlight: InFlight, closeMs: number): Promise<void> => {
  await within(inFlight.idle(), closeMs);
  if (inFlight.size === 0) return;
  inFlight.abortAll(
    new Refusal("cancelled", { message: "The host stopped.", next: "Repeat the call when the host is back." }),
  );
  await within(inFlight.idle(), LAST_WORDS_MS);
};
