/**
 * The HTTP listener: one server, two kinds of door (MCP and REST) and one page for people. The few REST routes stand on
 * node:http too: a router in between would build a second request object for each of them and be loaded at start.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createFrontCheck } from "./check-front.ts";
import { closeServer } from "./close-server.ts";
import { allowOrigin, answerPreflight } from "./cors.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { InFlight } from "./in-flight.ts";
import type { DoorTimings, ListenerDeps } from "./listener-deps.ts";
import { createMcpDoor } from "./mcp-door.ts";
import { createRestDoor } from "./rest-door.ts";
import { routeOf } from "./route-of.ts";
import { internalErrorText, refusalText } from "./rpc-text.ts";
import { createRunCall } from "./run-call.ts";
import { sendJson } from "./send-json.ts";
import { Sessions } from "./sessions.ts";
import { createSilenceWatch } from "./silence-watch.ts";

export interface Listener {
  /** Resolves when it accepts connections; rejects when the address cannot be had. */
  listen(host: string, port: number): Promise<{ readonly origin: string }>;
  close(): Promise<void>;
  /** What it holds now; all zero when nobody is there. */
  load(): { readonly calls: number; readonly sessions: number };
}

const TIMINGS: DoorTimings = {
  headersMs: 15_000,
  requestMs: 60_000,
  silenceMs: 10_000,
  commentMs: 15_000,
  closeMs: 10_000,
};
const KEEP_ALIVE_MS = 65_000;
const CHECK_EVERY_MS = 5000;

export const createListener = (deps: ListenerDeps): Listener => {
  const timings = { ...TIMINGS, ...deps.timings };
  const inFlight = new InFlight();
  const heartbeat = createHeartbeat(timings.commentMs);
  const sessions = new Sessions(deps.limits.sessionIdleSeconds, heartbeat);
  const runCall = createRunCall(deps.handleCall, inFlight);
  const checkFront = createFrontCheck(deps.limits);
  const mcp = createMcpDoor({ deps, runCall, heartbeat, silence: createSilenceWatch(timings.silenceMs) }, sessions);
  const rest = createRestDoor(deps, runCall);
  const endNotices = deps.surfaces.onChange(() => sessions.announceChange());
  let stopping = false;

  const answer = (req: IncomingMessage, res: ServerResponse): Promise<void> | void => {
    const route = routeOf(req.url ?? "");
    const front = checkFront(req.headers);
    const refusal = front.refusal ?? (stopping ? hostStopping() : null);
    if (route.door === "rest") return rest({ req, res, route, refusal, foreign: front.cors });
    if (front.cors !== null) allowOrigin(res, front.cors);
    if (refusal) return refuse(res, refusal);
    if (req.method === "OPTIONS" && front.cors !== null) return answerPreflight(res);
    return mcp(req, res, route.provider);
  };

  const onRequest = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      await answer(req, res);
    } catch (error) {
      deps.report(error);
      sendJson(res, { status: 500, text: internalErrorText(null) });
    }
  };

  const server = createServer({
    headersTimeout: timings.headersMs,
    requestTimeout: timings.requestMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, timings.headersMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.on("request", (req, res) => void onRequest(req, res));

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.removeListener("error", reject);
          resolve({ origin: originOf(server.address() as AddressInfo) });
        });
      }),
    close: async () => {
      stopping = true;
      endNotices();
      sessions.close();
      await closeServer(server, inFlight, timings.closeMs);
    },
    load: () => ({ calls: inFlight.size, sessions: sessions.size }),
  };
};

const originOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;

const refuse = (res: ServerResponse, refusal: DoorRefusal): void =>
  sendJson(res, { status: refusal.status, text: refusalText(null, refusal), headers: refusal.headers });

const hostStopping = (): DoorRefusal =>
  doorRefusal("not_ready", {
    status: 503,
    message: "The host is stopping.",
    next: "Try again in a few seconds.",
    retryAfterMs: 5000,
    headers: { "Retry-After": "5", Connection: "close" },
  });
