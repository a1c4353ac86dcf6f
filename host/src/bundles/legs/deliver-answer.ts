/**
 * Posts what the host's extensions answer. It is sent once more when a socket that had been idle was closed just then; what
 * else is wrong with the server the next request will say.
 */
import type { HttpResponse } from "./http-client.ts";
import { isReset } from "./http-failure.ts";
import { Patience } from "./patience.ts";

/** A server that takes it and never says so keeps no place. */
const PATIENCE_MS = 60_000;

/** Resolves when the server has it, or will not have it; never rejects. */
export const deliverAnswer = async (
  post: (signal: AbortSignal) => Promise<HttpResponse>,
  life: AbortSignal,
): Promise<void> => {
  const patience = new Patience(PATIENCE_MS, life);
  const { signal } = patience;
  const again = (failure: unknown): Promise<HttpResponse | null> =>
    isReset(failure) && !signal.aborted ? post(signal) : Promise.resolve(null);
  const response = await post(signal)
    .catch(again)
    .catch(() => null);
  if (response === null) patience.end();
  else response.body.once("close", () => patience.end()).resume();
};
