/**
 * Finds a server that lives but does not answer: two probes in a row without an answer, sent only while no call is in flight,
 * end the connection. A call in flight has its own deadline, and a busy server is not a dead one.
 */
import type { Connection } from "./connection.ts";
import type { Timing } from "./timing.ts";

const ALLOWED_MISSES = 2;

/** Returns the function that ends the watch. */
export const watchLiveness = (connection: Connection, timing: Timing): (() => void) => {
  let missed = 0;
  let probing = false;
  const probe = async (): Promise<void> => {
    if (probing || connection.inFlight() > 0) return;
    probing = true;
    try {
      await connection.ping(timing.livenessTimeoutMs);
      missed = 0;
    } catch {
      missed = connection.inFlight() > 0 ? 0 : missed + 1;
    } finally {
      probing = false;
    }
    if (missed >= ALLOWED_MISSES) await connection.close("it did not answer two liveness probes");
  };
  const timer = setInterval(() => void probe(), timing.livenessIntervalMs).unref();
  return () => clearInterval(timer);
};
