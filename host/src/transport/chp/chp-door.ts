/**
 * The CHP door. Host, Origin and stopping were decided by the listener and come in as `refusal`. Cheapest first: version,
 * address, credential, body. Errors are CHP's; a "no" of the call path is a result like any other.
 */
import { admitToken } from "../admit-token.ts";
import type { Caller } from "../authenticate.ts";
import { doorRefusal, type DoorRefusal } from "../door-refusal.ts";
import { openWorkspace } from "../open-workspace.ts";
import { readBody, type Body } from "../read-body.ts";
import { sendJson, type JsonAnswer } from "../send-json.ts";
import {
  failed,
  methodNotAllowed,
  refusedAtDoor,
  SUPPORTED_VERSIONS,
  unknownRoute,
  versionUnsupported,
} from "./chp-answers.ts";
import type { ChpParts, ChpRequest, ChpRoute } from "./chp-parts.ts";
import { createChpRoutes } from "./chp-routes.ts";
import { findChpRoute } from "./find-chp-route.ts";
import { createInvoke } from "./invoke.ts";
import { createOpenRoutes } from "./open-routes.ts";
import { authenticateChp } from "./present-chp.ts";
import { MAX_BODY_BYTES, parseChpBody } from "./read-chp-body.ts";

/** A promise only for what has to wait. */
export type ChpDoor = (request: ChpRequest) => Promise<void> | void;

type Go = (caller: Caller) => Promise<void> | void;

export const createChpDoor = (parts: ChpParts): ChpDoor => {
  const { deps } = parts;
  const invoke = createInvoke(parts);
  const openRoutes = createOpenRoutes(parts);
  const routes = createChpRoutes(parts);

  const fail = ({ res }: ChpRequest, error: unknown): void => sendJson(res, failed(deps, error));

  const enter = (request: ChpRequest, go: Go): Promise<void> | void => {
    const { req, res } = request;
    const caller = authenticateChp(deps, req);
    if ("refusal" in caller) return sendJson(res, refusedAtDoor(caller));
    const opening = openWorkspace(deps, req, caller);
    if (opening === null) return go(caller);
    return opening.then((no) => (no === null ? go(caller) : sendJson(res, refusedAtDoor(no))));
  };

  const admitted = (request: ChpRequest, go: Go): Promise<void> | void => {
    const admission = admitToken(deps, request.req);
    if (admission === null) return enter(request, go);
    return admission.then((no) => (no === null ? enter(request, go) : sendJson(request.res, refusedAtDoor(no))));
  };

  const take = (request: ChpRequest, caller: Caller, bytes: Body): void => {
    if (bytes === "gone") return;
    const { req, res } = request;
    try {
      invoke({ req, res, caller, body: parseChpBody(bytes) }).catch((error: unknown) => fail(request, error));
    } catch (error) {
      fail(request, error);
    }
  };

  const run = async (
    request: ChpRequest,
    found: { route: ChpRoute; argument: string },
    caller: Caller,
  ): Promise<void> => {
    const { req, res, query } = request;
    const ask = { req, res, caller, query: new URLSearchParams(query), argument: found.argument };
    const said = await found.route.run(ask);
    if (said !== null) sendJson(res, said);
  };

  const answer = (request: ChpRequest): Promise<void> | void => {
    const { req, res, path } = request;
    const method = req.method === "HEAD" ? "GET" : (req.method ?? "");
    if (path === "/invoke" && method === "POST") {
      return admitted(request, (caller) => readBody(req, MAX_BODY_BYTES, (bytes) => take(request, caller, bytes)));
    }
    if (method === "GET" && openRoutes(req, res, path)) return;
    const found = findChpRoute(routes, method, path);
    if (found === null) throw unknownRoute(path);
    if ("allowed" in found) return sendJson(res, methodNotAllowed(method, found.allowed));
    return admitted(request, (caller) => run(request, found, caller));
  };

  return (request) => {
    const no = refusedAtFront(request);
    if (no !== null) return sendJson(request.res, no);
    try {
      return answer(request)?.catch((error: unknown) => fail(request, error));
    } catch (error) {
      return fail(request, error);
    }
  };
};

const refusedAtFront = ({ req, refusal, foreign }: ChpRequest): JsonAnswer | null => {
  if (refusal) return refusedAtDoor(refusal);
  if (foreign !== null) return refusedAtDoor(foreignOrigin(foreign));
  const version = req.headers["x-chp-version"];
  if (version === undefined || SUPPORTED_VERSIONS.includes(String(version))) return null;
  return versionUnsupported(String(version));
};

const foreignOrigin = (origin: string): DoorRefusal =>
  doorRefusal("bad_origin", {
    message: `Pages of ${JSON.stringify(origin.slice(0, 100))} may use /mcp, not CHP.`,
    next: "Call CHP from a program.",
  });
