/** `POST /v1/tools/explain`: what would become of a call, stage by stage, with nothing done and nothing sent. */
import { NOBODY } from "../kernel/ask.ts";
import { Refusal } from "../kernel/refusal.ts";
import { SILENT } from "./call-notices.ts";
import { callerLeft } from "./caller-left.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readRestBody, type RestBody } from "./read-rest-body.ts";
import { readRestCall } from "./read-rest-call.ts";
import { requirePermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { rawCall } from "./run-call.ts";

export const createExplainRoute =
  (deps: ListenerDeps): RestRoute["run"] =>
  async ({ req, res, caller }) => {
    const body = await readRestBody(req);
    const as = readAs(body);
    if (as !== null) requirePermission(caller.principal, "policy:read");
    const call = new AbortController();
    const onClose = (): void => call.abort(callerLeft());
    res.on("close", onClose);
    try {
      const raw = rawCall({
        door: "rest",
        operation: "call",
        ...readRestCall(body),
        ...caller,
        call,
        listener: SILENT,
        asker: NOBODY,
        input: null,
        continues: null,
      });
      return ok(await deps.explain(raw, as));
    } finally {
      res.removeListener("close", onClose);
    }
  };

const readAs = ({ value }: RestBody): string | null => {
  const { as } = value;
  if (as === undefined) return null;
  if (typeof as === "string" && as !== "") return as;
  throw new Refusal("bad_request", {
    message: '"as" names nobody.',
    next: 'Send a principal, as "agent:planner", or leave it out.',
  });
};
