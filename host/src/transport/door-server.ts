/** A server of node:http with the times that the doors give their clients. */
import type { Server, ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "../kernel/node-http.ts";
import type { DoorTimings } from "./listener-deps.ts";

const KEEP_ALIVE_MS = 65_000;
const CHECK_EVERY_MS = 5000;

export const createDoorServer = (
  { headersMs, requestMs }: Pick<DoorTimings, "headersMs" | "requestMs">,
  options: ServerOptions = {},
): Server =>
  createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...options,
  });

/** Resolves when it accepts connections; rejects when the address cannot be had. */
export const listenOn = (server: Server, host: string, port: number): Promise<{ readonly origin: string }> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve({ origin: originOf(server.address() as AddressInfo) });
    });
  });

const originOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
