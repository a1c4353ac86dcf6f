/** The routes on which bundles are seen, started and stopped. */
import type { BundleChange, ListenerDeps } from "./listener-deps.ts";
import { readRestBody } from "./read-rest-body.ts";
import { requirePermission } from "./require-permission.ts";
import { ok, type RestAsk, type RestRoute } from "./rest-route.ts";

export const createBundleRoutes = ({ bundles }: Pick<ListenerDeps, "bundles">): [string, RestRoute][] => {
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
  return [
    ["GET /v1/apps", { run: () => ok({ apps: bundles.list() }) }],
    ["POST /v1/apps/*/start", { run: change("start") }],
    ["POST /v1/apps/*/stop", { run: change("stop") }],
    ["POST /v1/apps/*/restart", { run: change("restart") }],
    ["GET /v1/apps/*/logs", { run: logs }],
  ];
};

/** None is needed, since the path says all; one that comes must be JSON as everywhere. */
const hasBody = ({ headers }: RestAsk["req"]): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
