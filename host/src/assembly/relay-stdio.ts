/**
 * Joins a pipe to the door that the running host opens on a connection: bytes are copied both ways and none is read here.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { request } from "../kernel/node-http.ts";
import { END_OF_INPUT, STDIO_PATH, STDIO_PROTOCOL } from "../transport/stdio-protocol.ts";
import { Refusal } from "../kernel/refusal.ts";
import { headersFor, readRefusal, type Reachable } from "./ask-host.ts";
import { findReachable } from "./find-reachable.ts";

export interface RelayOrder {
  readonly workDir: string;
  readonly provider: string | undefined;
  readonly workspace: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
}

export interface Relayed {
  readonly origin: string;
  /** True: the host went away while the client was still there. */
  readonly lost: boolean;
}

/** Null, with nothing read: no host runs. Throws the refusal of a host that does not let us in. */
export const relayStdio = async (order: RelayOrder): Promise<Relayed | null> => {
  const host = await findReachable(order.workDir);
  if (host === null) return null;
  const { workspace } = order;
  const socket = await open({ ...host, ...(workspace !== undefined && { workspace }) }, order.provider);
  return { origin: host.origin, lost: await copy(order, socket) };
};

const open = (host: Reachable, provider: string | undefined): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const query = provider === undefined ? "" : `?provider=${encodeURIComponent(provider)}`;
    const headers = {
      connection: "Upgrade",
      upgrade: STDIO_PROTOCOL,
      ...headersFor(host),
    };
    const asked = request(`${host.origin}${STDIO_PATH}${query}`, { headers, agent: false });
    asked.once("upgrade", (_, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.once("response", (response) => void refusalOf(response).then(reject, reject));
    asked.once("error", (error) => reject(unreachable(host, error)));
    asked.end();
  });

const refusalOf = async (response: IncomingMessage): Promise<Refusal> =>
  readRefusal({ status: response.statusCode ?? 0, text: await text(response) });

/** Resolves when either side is through; true when it was the host, and too early. */
const copy = ({ input, output }: RelayOrder, socket: Duplex): Promise<boolean> =>
  new Promise((resolve) => {
    let through = false;
    const end = (): void => {
      through = true;
      socket.write(`\n${END_OF_INPUT}\n`);
    };
    const leave = (): void => {
      through = true;
      socket.destroy();
    };
    input.once("end", end).once("error", leave);
    output.once("error", leave).once("close", leave);
    socket.on("error", () => socket.destroy());
    socket.once("end", () => socket.end());
    socket.once("close", () => {
      input.off("end", end).off("error", leave).unpipe(socket).pause();
      output.off("error", leave).off("close", leave);
      resolve(!through);
    });
    input.pipe(socket, { end: false });
    socket.pipe(output, { end: false });
  });

const unreachable = ({ origin }: Reachable, error: Error): Refusal =>
  new Refusal("not_ready", {
    message: `The host at ${origin} cannot be reached: ${(error as NodeJS.ErrnoException).code ?? error.message}.`,
    next: "Start it again: bailiwick serve",
  });
