/**
 * The HTTP listener: one server, three kinds of door (MCP, REST and CHP) and one page for people. The few REST routes stand on
 * node:http too: a router in between would build a second request object for each of them and be loaded at start.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createAnswerCall } from "./answer-call.ts";
import { approvalLink } from "./approval-page.ts";
import { CallCounts } from "./call-counts.ts";
import { createFrontCheck } from "./check-front.ts";
import { createChpDoor } from "./chp/chp-door.ts";
import { createChpListener } from "./chp/chp-listener.ts";
import { closeServer } from "./close-server.ts";
import { allowOrigin, answerPreflight } from "./cors.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { drainCalls } from "./drain-calls.ts";
import type { DoorParts } from "./door-parts.ts";
import { createDoorServer, listenOn } from "./door-server.ts";
import { EventStreams } from "./event-streams.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { HeldCall } from "./held-call.ts";
import { HeldCalls } from "./held-calls.ts";
import { InFlight } from "./in-flight.ts";
import { createLegacyAnswers } from "./legacy-answers.ts";
import { ListenStreams } from "./listen-streams.ts";
import type { DoorTimings, ListenerDeps } from "./listener-deps.ts";
import { Logins } from "./logins.ts";
import { createMcpDoor } from "./mcp-door.ts";
import { createModernAnswers } from "./modern-answers.ts";
import { createRestDoor } from "./rest-door.ts";
import { routeOf } from "./route-of.ts";
import { internalErrorText, refusalText } from "./rpc-text.ts";
import { createRunCall } from "./run-call.ts";
import { sendJson } from "./send-json.ts";
import { Sessions } from "./sessions.ts";
import { createSilenceWatch } from "./silence-watch.ts";
import { createStdioDoor, type StdioOrder } from "./stdio-door.ts";
import { createStdioUpgrade, wantsStdio } from "./stdio-upgrade.ts";
import { within } from "./within.ts";

export interface Listener {
  /** Resolves when it accepts connections; rejects when the address cannot be had. */
  listen(host: string, port: number): Promise<{ readonly origin: string }>;
  /** The same for an address of its own that has the CHP door alone, at its root. */
  listenChp(host: string, port: number): Promise<{ readonly origin: string }>;
  /** Speaks on a pipe, whether or not it listens; resolves when that is over. Rejects with the refusal of an unknown provider or workspace. */
  stdio(order: StdioOrder): Promise<void>;
  close(): Promise<void>;
  /** What it holds now; all zero when nobody is there. */
  load(): { readonly calls: number; readonly sessions: number };
}

const TIMINGS: DoorTimings = {
  headersMs: 15_000,
  requestMs: 60_000,
  silenceMs: 10_000,
  commentMs: 15_000,
  beatMs: 30_000,
  closeMs: 10_000,
};
const LAST_WORDS_MS = 500;

export const createListener = (deps: ListenerDeps): Listener => {
  const timings = { ...TIMINGS, ...deps.timings };
  const inFlight = new InFlight();
  const heartbeat = createHeartbeat(timings.commentMs);
  const { sessionIdleSeconds: idleSeconds, holdSeconds } = deps.limits;
  const sessions = new Sessions({ idleSeconds, holdSeconds });
  const counts = new CallCounts();
  const runCall = createRunCall(deps.handleCall, inFlight, counts);
  const checkFront = createFrontCheck(deps.limits);
  const held = new HeldCalls<HeldCall>(holdSeconds * 1000);
  const listens = new ListenStreams(deps);
  const silence = createSilenceWatch(timings.silenceMs);
  let isListening = false;
  const approvalPage: DoorParts["approvalPage"] = (id, workspace) =>
    isListening ? approvalLink(deps.oauth.origin(), id, workspace) : null;
  const parts = { deps, approvalPage, runCall, inFlight, heartbeat, silence, held, listens };
  const answers = { legacy: createLegacyAnswers(parts, createAnswerCall(parts)), modern: createModernAnswers(parts) };
  const mcp = createMcpDoor(parts, answers, sessions);
  const stdio = createStdioDoor(parts, answers, sessions);
  const streams = new EventStreams(deps, timings.beatMs);
  const rest = createRestDoor({ deps, runCall, inFlight, heartbeat, streams, logins: new Logins() });
  const { mount } = deps.chp;
  const chpParts = { deps, runCall, heartbeat, counts };
  const chp = createChpDoor({ ...chpParts, base: mount ?? "" });
  const endNotices = deps.surfaces.onChange((workspace) => {
    sessions.announceChange(workspace);
    listens.announceChange(workspace);
  });
  let stopping = false;
  const closed = (): DoorRefusal | null => (stopping ? hostStopping() : null);
  const upgrade = createStdioUpgrade({ deps, door: stdio, checkFront, closed });
  const chpListener = createChpListener(chpParts, { timings, closed });

  const answer = (req: IncomingMessage, res: ServerResponse): Promise<void> | void => {
    const route = routeOf(req.url ?? "", mount);
    const front = checkFront(req.headers);
    const refusal = front.refusal ?? closed();
    if (route.door === "chp") {
      return chp({ req, res, path: route.path, query: route.query, refusal, foreign: front.cors });
    }
    if (route.door === "rest") return rest({ req, res, route, refusal, foreign: front.cors });
    if (front.cors !== null) allowOrigin(res, front.cors);
    if (refusal) return refuse(res, refusal);
    if (req.method === "OPTIONS" && front.cors !== null) return answerPreflight(req, res);
    return mcp(req, res, route.provider);
  };

  const fail = (res: ServerResponse, error: unknown): void => {
    deps.report(error);
    sendJson(res, { status: 500, text: internalErrorText(null) });
  };

  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    try {
      answer(req, res)?.catch((error: unknown) => fail(res, error));
    } catch (error) {
      fail(res, error);
    }
  };

  // Other protocols that a client offers are none of ours: such a request is answered as if it had not.
  const server = createDoorServer(timings, { shouldUpgradeCallback: wantsStdio });
  server.on("request", onRequest);
  server.on("upgrade", (req, socket, head) => upgrade.take(req, socket, head));

  return {
    listen: async (host, port) => {
      const listening = await listenOn(server, host, port);
      isListening = true;
      return listening;
    },
    listenChp: chpListener.listen,
    stdio: (order) => stdio.run(order),
    close: async () => {
      stopping = true;
      endNotices();
      sessions.close();
      listens.close();
      streams.close();
      held.close();
      stdio.close();
      await drainCalls(inFlight, timings.closeMs);
      await within(stdio.idle(), LAST_WORDS_MS);
      upgrade.cut();
      await Promise.all([closeServer(server), chpListener.close()]);
    },
    load: () => ({ calls: inFlight.size, sessions: sessions.size }),
  };
};

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
