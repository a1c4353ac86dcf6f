/** Shows a key in the name of a client that has none. All else passes as it is, `Host` included. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";

export interface RelayTarget {
  readonly origin: string;
  readonly key: string;
}

/** Resolves with the relay's port. */
export const startRelay = async (target: RelayTarget, undo: (() => Promise<unknown>)[]): Promise<number> => {
  const server = createServer((incoming, outgoing) => relay(target, incoming, outgoing));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  undo.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return (server.address() as AddressInfo).port;
};

const relay = ({ origin, key }: RelayTarget, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const headers = [...incoming.rawHeaders, "Authorization", `Bearer ${key}`];
  const onward = request(origin + (incoming.url ?? ""), { method: incoming.method, headers, setDefaultHeaders: false });
  onward.once("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    outgoing.flushHeaders();
    pipeline(answer, outgoing, () => onward.destroy());
  });
  outgoing.once("close", () => onward.destroy());
  pipeline(incoming, onward, (error) => {
    if (error) outgoing.destroy();
  });
};
