/**
 * The REST door. Each route answers JSON; a "no" is `{error, message, remedy, data?}`, shaped where every answer is. Host,
 * Origin and stopping were decided by the listener and come in as `refusal`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../kernel/call.ts";
import { Refusal } from "../kernel/refusal.ts";
import { admitToken } from "./admit-token.ts";
import { authenticate } from "./authenticate.ts";
import { challenge } from "./challenge.ts";
import type { DoorRefusal } from "./door-refusal.ts";
import { findRoute } from "./find-route.ts";
import { landingPage } from "./landing-page.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { createOAuthRoutes } from "./oauth-routes.ts";
import { createRestRoutes } from "./rest-routes.ts";
import type { Route } from "./route-of.ts";
import { refusedAnswer, type RunCall } from "./run-call.ts";
import { sendJson, type JsonAnswer } from "./send-json.ts";
import { answerServerCard } from "./server-card.ts";
import { answerWellKnown } from "./well-known.ts";

export interface RestRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly route: Extract<Route, { door: "rest" }>;
  readonly refusal: DoorRefusal | null;
  /** An origin that may use MCP from its pages, and nothing else. */
  readonly foreign: string | null;
}

export type RestDoor = (request: RestRequest) => Promise<void>;

const FAILED = JSON.stringify({
  error: "internal",
  message: "The host failed at this request; its log says how.",
  remedy: 'Look at the log of "bailiwick serve", then report it.',
});

export const createRestDoor = (deps: ListenerDeps, runCall: RunCall): RestDoor => {
  const routes = createRestRoutes(deps, runCall);
  const oauth = createOAuthRoutes(deps);

  const refused = ({ refusal, headers }: DoorRefusal): JsonAnswer => ({ ...shapeRefusal(deps, refusal), headers });

  const answer = async ({ req, res, route, refusal, foreign }: RestRequest): Promise<JsonAnswer> => {
    if (refusal) return refused(refusal);
    if (foreign !== null) throw foreignOrigin(foreign);
    const found = findRoute(routes, req.method ?? "", route.path);
    if (found === null) throw unknownRoute(req.method ?? "", route.path);
    const { run, argument } = found;
    if (found.open && req.headers.authorization === undefined && !deps.noAuth) return found.open();
    const unadmitted = await admitToken(deps, req);
    if (unadmitted) return refused(unadmitted);
    const caller = authenticate(deps, req, "rest");
    if ("refusal" in caller) return refused(caller);
    const workspace = req.headers["x-workspace-id"];
    if (workspace !== undefined && workspace !== caller.principal.workspace) throw unknownWorkspace();
    return run({ req, res, caller, query: route.query, argument });
  };

  return async (request) => {
    const { req, res, route, refusal, foreign } = request;
    if (req.method === "GET" && route.path === "/" && refusal === null && foreign === null) {
      landingPage(deps, req, res);
      return;
    }
    if (refusal === null && (answerWellKnown(deps.tokens, request) || answerServerCard(deps, request))) return;
    try {
      if (refusal === null && foreign === null && (await oauth(request))) return;
      sendJson(res, await answer(request));
    } catch (error) {
      if (error instanceof Refusal) {
        sendJson(res, shapeRefusal(deps, error));
        return;
      }
      deps.report(error);
      sendJson(res, { status: 500, text: FAILED });
    }
  };
};

const shapeRefusal = ({ shape, tokens }: ListenerDeps, refusal: Refusal): JsonAnswer => {
  const answer: Answer = refusedAnswer(refusal, null);
  const { status, json, headers } = shape.rest(answer);
  if (refusal.kind !== "permission_missing") return { status, text: json, headers };
  const permission = String(refusal.details["required_permission"]);
  return {
    status,
    text: json,
    headers: { ...headers, ...challenge(tokens, { error: "insufficient_scope", permission }) },
  };
};

const foreignOrigin = (origin: string): Refusal =>
  new Refusal("bad_origin", {
    message: `Pages of ${JSON.stringify(origin.slice(0, 100))} may use /mcp, not the API.`,
    next: "Call the API from the host's own pages or from a program.",
  });

/** The same for one that exists: who is not a member does not learn of it. */
const unknownWorkspace = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such workspace for you.",
    next: "Leave X-Workspace-Id out: your key has its own workspace.",
  });

const unknownRoute = (method: string, path: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no ${method} ${path.slice(0, 100)} here.`,
    next: "MCP clients connect to /mcp. The API begins at /v1: GET /v1/health, GET /v1/tools, POST /v1/tools/call.",
  });
