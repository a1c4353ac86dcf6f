/**
 * The REST door. Each route answers JSON; a "no" is `{error, message, remedy, data?}`, shaped where every answer is. Host,
 * Origin and stopping were decided by the listener and come in as `refusal`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../kernel/refusal.ts";
import { admitToken } from "./admit-token.ts";
import { createApprovalPage } from "./approval-page.ts";
import { findCaller, type Caller } from "./authenticate.ts";
import type { DoorRefusal } from "./door-refusal.ts";
import { createExtensionDoor } from "./ext-door.ts";
import { findRoute } from "./find-route.ts";
import { landingPage } from "./landing-page.ts";
import { createOAuthRoutes } from "./oauth-routes.ts";
import { openWorkspace } from "./open-workspace.ts";
import { restFailure, restRefusal } from "./rest-failure.ts";
import type { RestParts } from "./rest-parts.ts";
import { createRestRoutes } from "./rest-routes.ts";
import type { Route } from "./route-of.ts";
import { sendJson, type JsonAnswer } from "./send-json.ts";
import { answerServerCard } from "./server-card.ts";
import { showCredential, type Shown } from "./show-credential.ts";
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

export const createRestDoor = (parts: RestParts): RestDoor => {
  const { deps, logins } = parts;
  const routes = createRestRoutes(parts);
  const oauth = createOAuthRoutes(deps);
  const approvalPage = createApprovalPage(deps);
  const extensions = createExtensionDoor(deps);

  const isElsewhere = async (request: RestRequest): Promise<boolean> =>
    (await oauth(request)) || (await approvalPage(request)) || (await extensions(request));

  const refused = ({ refusal, headers }: DoorRefusal): JsonAnswer => ({ ...restRefusal(deps, refusal), headers });

  const callerOf = (req: IncomingMessage, { credential, login }: Shown): Caller | DoorRefusal => {
    const caller = findCaller(deps, { req, door: "rest", credential });
    if (login === null || "refusal" in caller) return caller;
    return { ...caller, isLoggedOut: () => !logins.has(login.id), loggedOut: login.over };
  };

  const answer = async ({ req, res, route, refusal, foreign }: RestRequest): Promise<JsonAnswer | null> => {
    if (refusal) return refused(refusal);
    if (foreign !== null) throw foreignOrigin(foreign);
    const found = findRoute(routes, req.method ?? "", route.path);
    if (found === null) throw unknownRoute(req.method ?? "", route.path);
    const { run, argument, rest } = found;
    const shown = showCredential(deps, req, { logins, isOpen: found.open !== undefined });
    if ("refusal" in shown) return refused(shown);
    if (found.open && shown.isNothing && !deps.noAuth) return found.open(req);
    const unadmitted = await admitToken(deps, req, shown.credential);
    if (unadmitted) return refused(unadmitted);
    const caller = callerOf(req, shown);
    if ("refusal" in caller) return refused(caller);
    const unopened = await openWorkspace(deps, req, caller);
    if (unopened) return refused(unopened);
    return run({ req, res, caller, query: route.query, argument, rest });
  };

  return async (request) => {
    const { req, res, route, refusal, foreign } = request;
    if (req.method === "GET" && route.path === "/" && refusal === null && foreign === null) {
      landingPage(deps, req, res);
      return;
    }
    if (refusal === null && (answerWellKnown(deps.tokens, request) || answerServerCard(deps, request))) return;
    try {
      if (refusal === null && foreign === null && (await isElsewhere(request))) return;
      const said = await answer(request);
      if (said !== null) sendJson(res, said);
    } catch (error) {
      sendJson(res, restFailure(deps, error));
    }
  };
};

const foreignOrigin = (origin: string): Refusal =>
  new Refusal("bad_origin", {
    message: `Pages of ${JSON.stringify(origin.slice(0, 100))} may use /mcp, not the API.`,
    next: "Call the API from the host's own pages or from a program.",
  });

const unknownRoute = (method: string, path: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no ${method} ${path.slice(0, 100)} here.`,
    next: "MCP clients connect to /mcp. The API begins at /v1: GET /v1/health, GET /v1/tools, POST /v1/tools/call.",
  });
