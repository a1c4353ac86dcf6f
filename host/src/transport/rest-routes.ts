/** What each REST route does, by method and path. A handler throws its refusal. */
import { NOBODY } from "../kernel/ask.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createBundleRoutes } from "./bundle-routes.ts";
import { SILENT } from "./call-notices.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readKeyOrder } from "./read-key-order.ts";
import { readRestBody } from "./read-rest-body.ts";
import { readRestCall } from "./read-rest-call.ts";
import { requirePermission } from "./require-permission.ts";
import { ok, type RestAsk, type RestRoute, type RestRoutes } from "./rest-route.ts";
import type { RunCall } from "./run-call.ts";
import type { JsonAnswer } from "./send-json.ts";

export const createRestRoutes = (deps: ListenerDeps, runCall: RunCall): RestRoutes => {
  const tools = ({ caller, query }: RestAsk): JsonAnswer => {
    const surface = deps.surfaces.of(caller.principal, null);
    return ok({ surface: surface?.token ?? null, tools: surface?.rows(query.get("q") ?? undefined) ?? [] });
  };

  const call = async ({ req, res, caller }: RestAsk): Promise<JsonAnswer> => {
    const { provider, params } = readRestCall(await readRestBody(req));
    const controller = new AbortController();
    const onClose = (): void => controller.abort(callerLeft());
    res.on("close", onClose);
    const order = {
      door: "rest",
      operation: "call",
      provider,
      params,
      ...caller,
      listener: SILENT,
      asker: NOBODY,
      input: null,
      continues: null,
    } as const;
    const { status, headers, json } = deps.shape.rest(await runCall({ ...order, call: controller }));
    res.removeListener("close", onClose);
    return { status, headers, text: json };
  };

  const createKey = async ({ req, caller }: RestAsk): Promise<JsonAnswer> => {
    requirePermission(caller.principal, "keys:manage");
    const { secret, row } = await deps.keys.create(readKeyOrder(await readRestBody(req)), caller.principal.id);
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

  return new Map<string, RestRoute>([
    ["GET /v1/health", { run: () => ok(deps.health()), open: () => ok({ status: deps.health().status }) }],
    ["GET /v1/tools", { run: tools }],
    ["POST /v1/tools/call", { run: call }],
    ["GET /v1/keys", { run: listKeys }],
    ["POST /v1/keys", { run: createKey }],
    ["DELETE /v1/keys/*", { run: revokeKey }],
    ...createBundleRoutes(deps),
    ["GET /v1/schema/bailiwick.json", { run: () => ok(deps.configSchema()), open: () => ok(deps.configSchema()) }],
  ]);
};

const callerLeft = (): Refusal =>
  new Refusal("cancelled", {
    message: "The caller closed its request.",
    next: "Repeat the call if it is still wanted.",
  });
