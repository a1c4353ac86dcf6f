/** Ends the run that goes on in a conversation, and waits until nothing of it is written any more. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ConversationPlace, Runs } from "../runs/create-runs.ts";
import { cancelledByPerson, runInProgress } from "../runs/run-refusals.ts";

/** A run that was cancelled ends its calls and writes its last line; that takes no longer. */
const MOST_WAIT_MS = 15_000;

/** Refusal `run_in_progress` where it does not end. */
export const endActiveRun = async (runs: Runs, place: ConversationPlace & { readonly by: string }): Promise<void> => {
  const run = runs.active(place);
  if (run === null) return;
  run.cancel(cancelledByPerson(run.id), place.by);
  const waiting = new AbortController();
  const ended = run.result.then(
    () => true,
    () => true,
  );
  const late = sleep(MOST_WAIT_MS, false, { signal: waiting.signal, ref: false }).catch(() => false);
  const isEnded = await Promise.race([ended, late]);
  waiting.abort();
  if (!isEnded) throw runInProgress(run, run.owner === place.by);
};
