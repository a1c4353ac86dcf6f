/**
 * The routes on which bundles are seen and steered. A key sees those of which it may name something; what a server said when
 * it failed, and definitions that nobody has accepted, are for those who steer it.
 */
import type { BundleDetail, BundleSeen } from "../kernel/bundle-admin.ts";
import type { Principal } from "../kernel/principal.ts";
import { createAppResource } from "./app-resource.ts";
import type { CallFromRest } from "./call-from-rest.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readAcceptOrder, readSearchOrder, readValues } from "./read-bundle-orders.ts";
import { readOptionalBody } from "./read-optional-body.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { seesBundle, unseenBundle } from "./sees-bundle.ts";
import { createSteering } from "./steering.ts";

type ProviderSeen = ReturnType<ListenerDeps["surfaces"]["providers"]>[number];
type Run = RestRoute["run"];

export const createBundleRoutes = (deps: ListenerDeps, callPath: CallFromRest): [string, RestRoute][] => {
  const { bundles, surfaces } = deps;
  const steering = createSteering(bundles);
  const change =
    (wanted: "start" | "stop" | "restart"): Run =>
    async ({ req, caller, argument }) => {
      const asking = steering.by(caller.principal, wanted);
      await readOptionalBody(req);
      return ok(await bundles.change(wanted, argument, asking));
    };
  const providers: Run = ({ caller: { principal } }) => {
    const rows = surfaces.providers(principal);
    return ok({ providers: mayManage(principal) ? rows : rows.map(quietProvider) });
  };
  const apps: Run = ({ caller: { principal } }) => {
    const rows = bundles.list(principal.workspace).filter(({ name }) => seesBundle(principal, name, surfaces));
    return ok({ apps: mayManage(principal) ? rows : rows.map(quietBundle) });
  };
  const app: Run = async ({ caller: { principal }, argument }) => {
    if (!seesBundle(principal, argument, surfaces)) throw unseenBundle(argument);
    const detail = await bundles.inspect(principal.workspace, argument);
    return ok(mayManage(principal) ? detail : quietDetail(detail));
  };
  const logs: Run = ({ caller, argument }) => {
    const { workspace } = steering.by(caller.principal, "logs");
    return ok({ lines: bundles.logs(workspace, argument) });
  };
  const uninstall: Run = async ({ caller, argument }) =>
    ok(await bundles.uninstall(argument, steering.byPerson(caller.principal, "uninstall", argument)));
  const accept: Run = async ({ req, caller, argument }) => {
    const asking = steering.byPerson(caller.principal, "definitions_accept", argument);
    return ok(await bundles.accept(argument, readAcceptOrder(await readOptionalBody(req)), asking));
  };
  const configure: Run = async ({ req, caller, argument }) => {
    const asking = steering.byPerson(caller.principal, "configure", argument);
    return ok(await bundles.configure(argument, readValues(await readRestBody(req)), asking));
  };
  const search: Run = async ({ caller, query }) => {
    const { workspace } = steering.by(caller.principal, "search");
    const { text, limit } = readSearchOrder(query);
    return ok(await bundles.search(text, { limit, workspace }));
  };
  const reload: Run = async ({ req, caller }) => {
    const asking = steering.by(caller.principal, "reload");
    await readOptionalBody(req);
    return ok(await bundles.reload(asking));
  };
  return [
    ["GET /v1/providers", { run: providers }],
    ["GET /v1/apps", { run: apps }],
    ["GET /v1/apps/*", { run: app }],
    ["DELETE /v1/apps/*", { run: uninstall }],
    ["POST /v1/apps/*/start", { run: change("start") }],
    ["POST /v1/apps/*/stop", { run: change("stop") }],
    ["POST /v1/apps/*/restart", { run: change("restart") }],
    ["POST /v1/apps/*/accept", { run: accept }],
    ["POST /v1/apps/*/configure", { run: configure }],
    ["GET /v1/apps/*/logs", { run: logs }],
    ["GET /v1/apps/*/resources/**", { run: createAppResource(deps, callPath) }],
    ["GET /v1/bundles/search", { run: search }],
    ["POST /v1/reload", { run: reload }],
  ];
};

const mayManage = (principal: Principal): boolean => hasPermission(principal, "bundles:manage");

const quietProvider = (row: ProviderSeen): ProviderSeen => ({
  ...row,
  status: { ...row.status, reason: null, lastError: null },
});

const quietBundle = ({ refusal, ...bundle }: BundleSeen): object => ({
  ...bundle,
  reason: undefined,
  next: undefined,
  ...(refusal === undefined ? {} : { refusal: { code: refusal.code } }),
  lastError: null,
  lastExit: null,
  warnings: [],
});

const quietDetail = (detail: BundleDetail): object => ({
  ...quietBundle(detail),
  dataPath: null,
  userConfig: [],
  held: [],
});
