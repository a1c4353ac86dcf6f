/** `POST /explain`: what would become of a call, with nothing done and nothing sent. */
import type { ListenerDeps } from "../listener-deps.ts";
import { requirePermission } from "../require-permission.ts";
import { rawCall } from "../run-call.ts";
import { bad, ok } from "./chp-answers.ts";
import type { ChpRoute } from "./chp-parts.ts";
import { orderOf } from "./invoke.ts";
import { readChpBody } from "./read-chp-body.ts";
import { readEnvelope } from "./read-envelope.ts";

export const createExplain =
  (deps: ListenerDeps): ChpRoute["run"] =>
  async ({ req, res, caller }) => {
    const body = await readChpBody(req);
    const as = readAs(body.value["as"]);
    if (as !== null) requirePermission(caller.principal, "policy:read");
    const order = orderOf({ req, res, caller, body }, readEnvelope(body, deps.info.id), true);
    return ok(await deps.explain(rawCall(order), as));
  };

const readAs = (as: unknown): string | null => {
  if (as === undefined || as === null) return null;
  if (typeof as === "string" && as !== "" && as.length <= 256) return as;
  throw bad('"as" names nobody.', 'Send a principal, as "agent://planner", or leave it out.');
};
