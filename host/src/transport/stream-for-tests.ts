/** An event stream that is read while it runs, for the tests of this room. */
import { request, type ClientRequest } from "node:http";

export interface Heard {
  readonly id: string | null;
  readonly message: any;
}

export interface OpenStream {
  readonly events: Heard[];
  readonly status: Promise<number>;
  /** The next event that is one, also if it came already. */
  until(isOne: (message: any) => boolean): Promise<Heard>;
  readonly ended: Promise<void>;
  /** Breaks the connection. */
  drop(): void;
}

export interface StreamOrder {
  readonly method?: string;
  readonly path?: string;
  readonly headers: Record<string, string>;
  readonly body?: object;
}

const read = (block: string): Heard | null => {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  const id = /^id: (.*)$/m.exec(block)?.[1] ?? null;
  if (data === undefined) return null;
  return { id, message: data === "" ? null : JSON.parse(data) };
};

export const openStream = (
  origin: string,
  { method = "POST", path = "/mcp", headers, body }: StreamOrder,
): OpenStream => {
  const events: Heard[] = [];
  const waiting = new Set<() => void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: status, resolve: answered } = Promise.withResolvers<number>();
  let text = "";
  const req: ClientRequest = request(origin + path, { method, headers, agent: false }, (res) => {
    answered(res.statusCode ?? 0);
    res.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
        const heard = read(text.slice(0, at));
        if (heard) events.push(heard);
        text = text.slice(at + 2);
      }
      for (const look of waiting) look();
    });
    res.on("end", () => end());
    res.on("error", () => end());
  });
  req.on("error", () => end());
  req.end(body === undefined ? undefined : JSON.stringify(body));
  return {
    events,
    status,
    ended,
    drop: () => req.destroy(),
    until: (isOne) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(({ message }) => message !== null && isOne(message));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
};
