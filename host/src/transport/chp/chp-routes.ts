/** The routes of the CHP door that take a credential. */
import { sendText } from "./send-text.ts";
import { ok } from "./chp-answers.ts";
import type { ChpParts, ChpRoute, ChpRoutes } from "./chp-parts.ts";
import { manifestOf } from "./describe-chp-host.ts";
import { discoveryDocument, DISCOVERY_PATHS, type DiscoveryPath } from "./discovery.ts";
import { createEvidenceRoutes } from "./evidence-routes.ts";
import { createExplain } from "./explain.ts";
import { createHeadRoutes } from "./head-routes.ts";
import { metricsOf } from "./metrics.ts";
import { showApproval } from "./show-approval.ts";
import { createStatementRoutes } from "./statement-routes.ts";

export const createChpRoutes = (parts: ChpParts): ChpRoutes => {
  const { deps, base } = parts;
  const routes: [string, ChpRoute["run"]][] = [
    ["GET /host", ({ caller }) => ok(manifestOf(deps, caller.principal))],
    ["GET /capabilities", ({ caller }) => ok({ capabilities: deps.descriptors(caller.principal) })],
    ["POST /explain", createExplain(deps)],
    ["GET /approvals/", ({ caller, argument }) => ok(showApproval(deps.approvals, caller.principal, argument))],
    [
      "GET /metrics",
      ({ res, caller }) => {
        sendText(res, metricsOf(parts, caller.principal));
        return null;
      },
    ],
    ...createEvidenceRoutes(deps),
    ...createHeadRoutes(deps.archive),
    ...createStatementRoutes(deps.archive.statements),
    ...DISCOVERY_PATHS.map((path): [string, ChpRoute["run"]] => [`GET ${path}`, createDiscovery(parts, path, base)]),
  ];
  return new Map(routes.map(([route, run]) => [route, { run }]));
};

const createDiscovery =
  ({ deps }: ChpParts, path: DiscoveryPath, base: string): ChpRoute["run"] =>
  ({ res, caller }) => {
    sendText(res, discoveryDocument(deps, { path, reader: caller.principal, base }));
    return null;
  };
