/**
 * The routes on which bundles are seen, started and stopped. A key sees those of which it may name something; what a server
 * said when it failed is for those who steer it.
 */
import type { Principal } from "../kernel/principal.ts";
import type { BundleChange, BundleSeen, ListenerDeps } from "./listener-deps.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission, requirePermission } from "./require-permission.ts";
import { ok, type RestAsk, type RestRoute } from "./rest-route.ts";

type ProviderSeen = ReturnType<ListenerDeps["surfaces"]["providers"]>[number];

export const createBundleRoutes = ({ bundles, surfaces }: ListenerDeps): [string, RestRoute][] => {
  const change =
    (wanted: BundleChange): RestRoute["run"] =>
    async ({ req, caller, argument }) => {
      requirePermission(caller.principal, "bundles:manage");
      if (hasBody(req)) await readRestBody(req);
      return ok(await bundles.change(wanted, argument, caller.principal.id));
    };
  const logs: RestRoute["run"] = ({ caller, argument }) => {
    requirePermission(caller.principal, "bundles:manage");
    return ok({ lines: bundles.logs(argument) });
  };
  const providers: RestRoute["run"] = ({ caller: { principal } }) => {
    const rows = surfaces.providers(principal);
    return ok({ providers: hasPermission(principal, "bundles:manage") ? rows : rows.map(quietProvider) });
  };
  const apps: RestRoute["run"] = ({ caller: { principal } }) => {
    const rows = bundles.list().filter(seenBy(principal, surfaces));
    return ok({ apps: hasPermission(principal, "bundles:manage") ? rows : rows.map(quietBundle) });
  };
  return [
    ["GET /v1/providers", { run: providers }],
    ["GET /v1/apps", { run: apps }],
    ["POST /v1/apps/*/start", { run: change("start") }],
    ["POST /v1/apps/*/stop", { run: change("stop") }],
    ["POST /v1/apps/*/restart", { run: change("restart") }],
    ["GET /v1/apps/*/logs", { run: logs }],
  ];
};

/** A bundle that is switched off is no provider; only a key without scopes sees it. */
const seenBy = (principal: Principal, surfaces: ListenerDeps["surfaces"]): ((bundle: BundleSeen) => boolean) => {
  if (principal.scopes === null) return () => true;
  const names = new Set(surfaces.providers(principal).map(({ name }) => name));
  return ({ name }) => names.has(name);
};

const quietProvider = (row: ProviderSeen): ProviderSeen => ({
  ...row,
  status: { ...row.status, reason: null, lastError: null },
});

const quietBundle = (bundle: BundleSeen): object => ({ ...bundle, reason: undefined, lastError: null });

/** None is needed, since the path says all; one that comes must be JSON as everywhere. */
const hasBody = ({ headers }: RestAsk["req"]): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
