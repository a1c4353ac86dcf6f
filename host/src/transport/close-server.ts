/**
 * Ends a server: the calls that are out have their time (new requests are meanwhile told to come back later), then nothing
 * new is accepted and what is left is cut. A caller whose call is aborted here still hears how it ended if the call path
 * answers at once.
 */
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../kernel/refusal.ts";
import type { InFlight } from "./in-flight.ts";

const LAST_WORDS_MS = 500;
const LOOK_EVERY_MS = 20;

const within = async (work: Promise<void>, ms: number): Promise<void> => {
  const giveUp = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: giveUp.signal }).catch(() => {})]);
  giveUp.abort();
};

export const closeServer = async (server: Server, inFlight: InFlight, closeMs: number): Promise<void> => {
  if (!server.listening) return;
  await within(inFlight.idle(), closeMs);
  if (inFlight.size > 0) {
    inFlight.abortAll(
      new Refusal("cancelled", { message: "The host stopped.", next: "Repeat the call when the host is back." }),
    );
    await within(inFlight.idle(), LAST_WORDS_MS);
  }
  const state = { open: true };
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      state.open = false;
      resolve();
    });
  });
  const deadline = Date.now() + LAST_WORDS_MS;
  while (state.open && Date.now() < deadline) {
    server.closeIdleConnections();
    await within(closed, LOOK_EVERY_MS);
  }
  server.closeAllConnections();
  await closed;
};
