/**
 * Somebody who hears a run over HTTP. It counts as one of the caller's calls while it lasts and ends when the caller leaves,
 * which the run survives for a while; when the host stops, the run is cancelled, so that whoever hears it is told the end.
 */
import type { AgentRun } from "../kernel/agent.ts";
import type { InFlight } from "./in-flight.ts";
import type { RestAsk } from "./rest-route.ts";

interface Heard<T> {
  /** Nothing is begun for a caller that has too much out already. */
  readonly begin: () => AgentRun | Promise<AgentRun>;
  /** The signal: the caller left. */
  readonly hear: (run: AgentRun, signal: AbortSignal) => Promise<T>;
}

type ChatHearing = <T>(ask: Pick<RestAsk, "res" | "caller">, hearing: Heard<T>) => Promise<T>;

export const createChatHearing =
  (inFlight: InFlight): ChatHearing =>
  async ({ res, caller: { principal } }, { begin, hear }) => {
    const [stopped, left] = [new AbortController(), new AbortController()];
    const place = inFlight.begin(principal, stopped);
    if (typeof place !== "number") throw place;
    const leave = (): void => left.abort();
    res.once("close", leave);
    try {
      const run = await begin();
      if (stopped.signal.aborted) run.cancel();
      stopped.signal.addEventListener("abort", () => run.cancel(), { once: true });
      if (res.closed) leave();
      return await hear(run, left.signal);
    } finally {
      leave();
      res.removeListener("close", leave);
      inFlight.end(principal, place);
    }
  };
