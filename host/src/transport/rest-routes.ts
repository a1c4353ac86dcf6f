/** What each REST route does, by method and path. A handler throws its refusal. */
import { toolSeen } from "../kernel/tool-seen.ts";
import { createApprovalRoutes } from "./approval-routes.ts";
import { createBundleRoutes } from "./bundle-routes.ts";
import { createCallFromRest } from "./call-from-rest.ts";
import { createCapabilityRoutes } from "./capability-routes.ts";
import { createChatRoutes } from "./chat-routes.ts";
import { createConversationRoutes } from "./conversation-routes.ts";
import { createEnvironmentRoutes } from "./environment-routes.ts";
import { createEvidenceRoutes } from "./evidence-routes.ts";
import { createExplainRoute } from "./explain-route.ts";
import { createFileRoutes } from "./file-routes.ts";
import { createInstallRoute } from "./install-route.ts";
import { createLoginRoutes } from "./login-routes.ts";
import { createOpenApiRoute } from "./openapi/openapi-route.ts";
import { createPolicyRoutes } from "./policy-routes.ts";
import { readSatisfied } from "./read-gate-orders.ts";
import { readKeyOrder } from "./read-key-order.ts";
import { readRestBody } from "./read-rest-body.ts";
import { readRestCall } from "./read-rest-call.ts";
import { readWait } from "./read-wait.ts";
import { createRemovalRoutes } from "./removal-routes.ts";
import { requirePermission } from "./require-permission.ts";
import { restAnswer } from "./rest-answer.ts";
import type { RestParts } from "./rest-parts.ts";
import { ok, type RestAsk, type RestRoute, type RestRoutes } from "./rest-route.ts";
import { createRunRoutes } from "./run-routes.ts";
import type { JsonAnswer } from "./send-json.ts";
import { createSkillRoutes } from "./skill-routes.ts";

export const createRestRoutes = (parts: RestParts): RestRoutes => {
  const { deps, streams } = parts;
  const callPath = createCallFromRest(parts.runCall);
  const health = ({ caller }: RestAsk): JsonAnswer =>
    ok({ ...deps.health(caller.principal), model: deps.agent.unconfigured() === null ? "ok" : "unconfigured" });
  const tools = ({ caller, query }: RestAsk): JsonAnswer => {
    const surface = deps.surfaces.of(caller.principal, null);
    const rows = surface?.rows(query.get("q") ?? undefined, { satisfied: readSatisfied(query) }) ?? [];
    return ok({ surface: surface?.token ?? null, tools: rows.map(toolSeen) });
  };

  const call = async (ask: RestAsk): Promise<JsonAnswer> => {
    const order = readRestCall(await readRestBody(ask.req));
    const approvalWaitMs = readWait(ask.req.headers);
    return restAnswer(deps, await callPath(ask, { operation: "call", ...order, approvalWaitMs }));
  };

  const createKey = async ({ req, caller }: RestAsk): Promise<JsonAnswer> => {
    requirePermission(caller.principal, "keys:manage");
    const { secret, row } = await deps.keys.create(readKeyOrder(await readRestBody(req)), caller.principal);
    return ok({ secret, key: row }, 201);
  };
  const listKeys = async ({ caller }: RestAsk): Promise<JsonAnswer> => {
    requirePermission(caller.principal, "keys:manage");
    return ok({ keys: await deps.keys.list() });
  };
  const revokeKey = async ({ caller, argument }: RestAsk): Promise<JsonAnswer> => {
    requirePermission(caller.principal, "keys:manage");
    return ok({ key: await deps.keys.revoke(argument, caller.principal.id) });
  };

  const routes = new Map<string, RestRoute>([
    ["GET /v1/health", { run: health, open: () => ok({ status: deps.health().status }) }],
    ...createLoginRoutes(deps, parts.logins),
    ["GET /v1/tools", { run: tools }],
    ["POST /v1/tools/call", { run: call }],
    ["POST /v1/tools/explain", { run: createExplainRoute(deps) }],
    ...createApprovalRoutes(deps),
    ...createEvidenceRoutes(deps),
    ...createRemovalRoutes(deps),
    ...createPolicyRoutes(deps),
    ["GET /v1/keys", { run: listKeys }],
    ["POST /v1/keys", { run: createKey }],
    ["DELETE /v1/keys/*", { run: revokeKey }],
    ...createBundleRoutes(deps, callPath),
    ["POST /v1/apps/install", { run: createInstallRoute(parts) }],
    ...createFileRoutes(deps, callPath),
    ...createCapabilityRoutes(deps, callPath),
    ...createEnvironmentRoutes(deps),
    ...createSkillRoutes(deps),
    ...createChatRoutes(parts),
    ...createRunRoutes(parts),
    ...createConversationRoutes(deps),
    [
      "GET /v1/events",
      {
        run: (ask) => {
          streams.open(ask);
          return null;
        },
      },
    ],
    ["GET /v1/schema/bailiwick.json", { run: () => ok(deps.configSchema()), open: () => ok(deps.configSchema()) }],
  ]);
  return routes.set("GET /v1/openapi.json", createOpenApiRoute(routes, deps.info));
};
