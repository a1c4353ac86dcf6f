/** Ends a server whose calls are over: nothing new is accepted, what was said may still be read, and what is left is cut. */
import type { Server } from "node:http";
import { within } from "./within.ts";

const LAST_WORDS_MS = 500;
const LOOK_EVERY_MS = 20;

export const closeServer = async (server: Server): Promise<void> => {
  if (!server.listening) return;
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
