/** An address of its own for CHP, with the door at its root: some clients drop what stands before a path. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createFrontCheck, type CheckFront } from "../check-front.ts";
import { closeServer } from "../close-server.ts";
import type { DoorRefusal } from "../door-refusal.ts";
import { createDoorServer, listenOn } from "../door-server.ts";
import type { DoorTimings } from "../listener-deps.ts";
import { sendJson } from "../send-json.ts";
import { failed } from "./chp-answers.ts";
import { createChpDoor } from "./chp-door.ts";
import type { ChpParts } from "./chp-parts.ts";

export interface ChpListener {
  readonly listen: (host: string, port: number) => Promise<{ readonly origin: string }>;
  readonly close: () => Promise<void>;
}

export interface ChpListenerOptions {
  readonly timings: DoorTimings;
  /** Why nothing is taken any more; null: it is. */
  readonly closed: () => DoorRefusal | null;
}

export const createChpListener = (
  parts: Omit<ChpParts, "base">,
  { timings, closed }: ChpListenerOptions,
): ChpListener => {
  const { deps } = parts;
  let server: Server | null = null;

  const serve = (checkFront: () => CheckFront): Server => {
    const door = createChpDoor({ ...parts, base: "" });
    return createDoorServer(timings).on("request", (req: IncomingMessage, res: ServerResponse) => {
      const url = req.url ?? "";
      const mark = url.indexOf("?");
      const front = checkFront()(req.headers);
      const [path, query] = mark === -1 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
      door({ req, res, path, query, refusal: front.refusal ?? closed(), foreign: front.cors })?.catch(
        (error: unknown) => sendJson(res, failed(deps, error)),
      );
    });
  };

  return {
    listen: async (host, port) => {
      let checkFront = createFrontCheck(deps.limits);
      server = serve(() => checkFront);
      const { origin } = await listenOn(server, host, port);
      const allowedHosts = [...deps.limits.allowedHosts, new URL(origin).host];
      checkFront = createFrontCheck({ ...deps.limits, allowedHosts });
      return { origin };
    },
    close: () => (server === null ? Promise.resolve() : closeServer(server)),
  };
};
