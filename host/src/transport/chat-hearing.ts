/**
 * Somebody who hears a run over HTTP, until they leave, which the run survives for a while. It counts as one of the caller's
 * calls: a run that is begun here as long as it goes on, whoever hears it; one that is heard again as long as it is heard.
 * When the host stops, the run is cancelled, so that whoever hears it is told the end. The end of the login that it came with
 * ends what was begun with it, and the hearing.
 */
import type { AgentRun } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { InFlight } from "./in-flight.ts";
import type { RestAsk } from "./rest-route.ts";

interface Heard<T> {
  /** Nothing is begun for a caller that has too much out already. */
  readonly begin: () => AgentRun | Promise<AgentRun>;
  /** The run was there before. */
  readonly again?: true;
  /** The signal: the caller left, or was logged out, which its reason says. */
  readonly hear: (run: AgentRun, signal: AbortSignal) => Promise<T>;
}

type ChatHearing = <T>(ask: Pick<RestAsk, "res" | "caller">, hearing: Heard<T>) => Promise<T>;

export const createChatHearing =
  (inFlight: InFlight): ChatHearing =>
  async ({ res, caller: { principal, loggedOut } }, { begin, again, hear }) => {
    const [stopped, left] = [new AbortController(), new AbortController()];
    const place = inFlight.begin(principal, stopped);
    if (typeof place !== "number") throw place;
    let run: AgentRun | null = null;
    const leave = (): void => left.abort();
    const logOut = (): void => {
      left.abort(hasLoggedOut("unauthenticated"));
      if (again === undefined) run?.cancel(hasLoggedOut("cancelled"));
    };
    const end = (): void => {
      loggedOut?.removeEventListener("abort", logOut);
      inFlight.end(principal, place);
    };
    res.once("close", leave);
    loggedOut?.addEventListener("abort", logOut, { once: true });
    try {
      run = await begin();
      cancelWith(run, stopped.signal);
      if (loggedOut?.aborted === true) logOut();
      if (res.closed) leave();
      return await hear(run, left.signal);
    } finally {
      leave();
      res.removeListener("close", leave);
      if (run === null || again === true) end();
      else void run.result.then(end, end);
    }
  };

const cancelWith = (run: AgentRun, stopped: AbortSignal): void => {
  const cancel = (): void => run.cancel(stopped.reason instanceof Refusal ? stopped.reason : undefined);
  if (stopped.aborted) cancel();
  else stopped.addEventListener("abort", cancel, { once: true });
};

const hasLoggedOut = (kind: "unauthenticated" | "cancelled"): Refusal =>
  new Refusal(kind, {
    message: "The login that this came with has ended, and with it the runs that were begun with it.",
    next: "Log in again and send a message to the conversation to go on; what was done so far is in it.",
  });
