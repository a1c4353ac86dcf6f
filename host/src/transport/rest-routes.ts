/** What each REST route does, by method and path. A handler throws its refusal. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Caller } from "./authenticate.ts";
import { SILENT } from "./call-notices.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readKeyOrder } from "./read-key-order.ts";
import { readRestBody } from "./read-rest-body.ts";
import { readRestCall } from "./read-rest-call.ts";
import type { RunCall } from "./run-call.ts";
import type { JsonAnswer } from "./send-json.ts";

export interface RestAsk {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** What the path names, for a route that ends in `/`. */
  readonly argument: string;
}

export interface RestRoute {
  readonly run: (ask: RestAsk) => JsonAnswer | Promise<JsonAnswer>;
  /** The answer without a credential; absent: there is none. */
  readonly open?: () => JsonAnswer;
}

const ok = (value: unknown, status = 200): JsonAnswer => ({ status, text: JSON.stringify(value) });

export const createRestRoutes = (deps: ListenerDeps, runCall: RunCall): ReadonlyMap<string, RestRoute> => {
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
    } as const;
    const { status, headers, json } = deps.shape.rest(await runCall({ ...order, call: controller }));
    res.removeListener("close", onClose);
    return { status, headers, text: json };
  };

  const createKey = async ({ req, caller }: RestAsk): Promise<JsonAnswer> => {
    mayManageKeys(caller.principal);
    const { secret, row } = await deps.keys.create(readKeyOrder(await readRestBody(req)));
    return ok({ secret, key: row }, 201);
  };
  const listKeys = async ({ caller }: RestAsk): Promise<JsonAnswer> => {
    mayManageKeys(caller.principal);
    return ok({ keys: await deps.keys.list() });
  };
  const revokeKey = async ({ caller, argument }: RestAsk): Promise<JsonAnswer> => {
    mayManageKeys(caller.principal);
    return ok({ key: await deps.keys.revoke(argument) });
  };

  return new Map<string, RestRoute>([
    ["GET /v1/health", { run: () => ok(deps.health()), open: () => ok({ status: deps.health().status }) }],
    ["GET /v1/tools", { run: tools }],
    ["POST /v1/tools/call", { run: call }],
    ["GET /v1/providers", { run: () => ok({ providers: deps.surfaces.providers() }) }],
    ["GET /v1/keys", { run: listKeys }],
    ["POST /v1/keys", { run: createKey }],
    ["DELETE /v1/keys/", { run: revokeKey }],
    ["GET /v1/schema/bailiwick.json", { run: () => ok(deps.configSchema()), open: () => ok(deps.configSchema()) }],
  ]);
};

const mayManageKeys = ({ id, permissions }: Principal): void => {
  if (permissions.includes("keys:manage") || permissions.includes("*")) return;
  throw new Refusal("permission_missing", {
    message: `${id} may not manage keys.`,
    next: 'Use the owner key, or a key made with "bailiwick key create <name> --permission keys:manage".',
    details: { required_permission: "keys:manage", missing: ["keys:manage"] },
  });
};

const callerLeft = (): Refusal =>
  new Refusal("cancelled", {
    message: "The caller closed its request.",
    next: "Repeat the call if it is still wanted.",
  });
