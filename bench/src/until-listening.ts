/** Waits until a host that was spawned listens. */
import { connect } from "node:net";
import type { StartedHost } from "./bailiwick.ts";

const PATIENCE_MS = 15_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export const untilListening = async (host: StartedHost): Promise<void> => {
  const until = performance.now() + PATIENCE_MS;
  while (!(await accepts(host.port))) {
    if (!host.launched.running() || performance.now() > until) {
      throw new Error(`the host does not listen; it said: ${host.launched.lastWords()}`);
    }
    await pause(2);
  }
};
