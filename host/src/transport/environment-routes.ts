/**
 * The routes on which it is seen and changed what the host offers its tools: the environment capabilities that it declares and
 * the folders that they may work in. Where those lie on its disk is told to those who administer it alone.
 */
import { WorkspaceResolveError } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import { rootsSeen, type RootsSeen } from "../kernel/roots-seen.ts";
import { unresolvedPath } from "../kernel/unresolved-path.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readDeclaredOrder, readPathOrder } from "./read-gate-orders.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission, requirePermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { seesBundle } from "./sees-bundle.ts";

type Run = RestRoute["run"];

export const createEnvironmentRoutes = ({
  environment,
  roots,
  surfaces,
}: Pick<ListenerDeps, "environment" | "roots" | "surfaces">): [string, RestRoute][] => {
  const declared: Run = ({ caller: { principal } }) => {
    const { declared: names, providers } = environment.declared();
    const seen = Object.entries(providers).filter(([name]) => seesBundle(principal, name, surfaces));
    return ok({ declared: names, providers: Object.fromEntries(seen) });
  };
  const declare: Run = async ({ req, caller: { principal } }) => {
    try {
      requirePermission(principal, "host:admin");
    } catch (error) {
      if (error instanceof Refusal) environment.turnedAway(error, principal.id);
      throw error;
    }
    const { declared: names, before } = readDeclaredOrder(await readRestBody(req));
    return ok(await environment.declare(names, principal.id, before));
  };
  const list: Run = ({ caller: { principal } }) => {
    const seen = rootsSeen(roots(principal));
    return ok(hasPermission(principal, "host:admin") ? seen : withoutPlaces(seen));
  };
  const resolve: Run = async ({ req, caller: { principal } }) => {
    requirePermission(principal, "host:admin");
    const path = readPathOrder(await readRestBody(req));
    const known = roots(principal);
    try {
      return ok({ path, resolved: known.resolve(path) });
    } catch (error) {
      throw error instanceof WorkspaceResolveError ? unresolvedPath(error, { roots: known }) : error;
    }
  };
  return [
    ["GET /v1/host/capabilities", { run: declared }],
    ["PUT /v1/host/capabilities", { run: declare }],
    ["GET /v1/roots", { run: list }],
    ["POST /v1/roots/resolve", { run: resolve }],
  ];
};

/** A reason may tell where something lies, or quote what somebody wrote as a path. */
const NAMES_PLACE = /[\\/]/;

/** By the URI that the root's name makes; what has no name is still counted. */
const withoutPlaces = ({ roots, ...seen }: RootsSeen): object => ({
  ...seen,
  roots: roots.map(({ name, usable, reason }) => ({
    name,
    uri: name === null ? null : `workspace://@${encodeURIComponent(name)}/`,
    usable,
    ...(reason === undefined || NAMES_PLACE.test(reason) ? {} : { reason }),
  })),
});
