/** Whether the configured address can be had. Listens for a moment and accepts nothing. */
import { createServer } from "node:net";
import type { RunningHost } from "../running-host.ts";
import { fail, ok, warn, type Check } from "./check.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export const checkPort = async ({ host, port }: Address, running: RunningHost | null): Promise<readonly Check[]> => {
  if (running !== null) {
    const listening = ok("host", `running as process ${running.pid} at ${running.origin}`);
    if (!running.noAuth) return [listening];
    const fix = "For anything but a test suite start it without --no-auth.";
    return [listening, warn("host", "it runs with --no-auth: every program on this machine may call every tool.", fix)];
  }
  const code = await tryListen({ host, port });
  if (code === null) return [ok("host", `not running; ${host}:${port} is free. Start it: bailiwick serve`)];
  if (code === "EADDRINUSE") {
    return [
      fail("host", `port ${port} is in use by another program.`, "Start with another: bailiwick serve --port 7500"),
    ];
  }
  return [fail("host", `${host}:${port} cannot be listened on (${code}).`, "Correct http.host and http.port.")];
};

const tryListen = (address: Address): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(address.port, address.host, () => server.close(() => resolve(null)));
  });
