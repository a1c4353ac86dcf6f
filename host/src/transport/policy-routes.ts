/** The routes on which the host's own rules and its signing keys are seen, and the keys changed. */
import { Refusal } from "../kernel/refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readOptionalBody } from "./read-optional-body.ts";
import { readRestBody, type RestBody } from "./read-rest-body.ts";
import { requirePermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";

type Run = RestRoute["run"];

export const createPolicyRoutes = ({
  policy,
  hostKeys,
}: Pick<ListenerDeps, "policy" | "hostKeys">): [string, RestRoute][] => {
  const report: Run = ({ caller: { principal } }) => {
    requirePermission(principal, "policy:read");
    return ok(policy(principal.workspace));
  };
  const list: Run = ({ caller: { principal } }) => {
    requirePermission(principal, "keys:manage");
    return ok({ keys: hostKeys.list() });
  };
  const rotate: Run = async ({ req, caller: { principal } }) => {
    requirePermission(principal, "keys:manage");
    await readOptionalBody(req);
    return ok({ key: await hostKeys.rotate(principal.id) });
  };
  const revoke: Run = async ({ req, caller: { principal } }) => {
    requirePermission(principal, "keys:manage");
    return ok({ key: await hostKeys.revoke(readRevocation(await readRestBody(req)), principal.id) });
  };
  return [
    ["GET /v1/policy", { run: report }],
    ["GET /v1/host-key", { run: list }],
    ["POST /v1/host-key/rotate", { run: rotate }],
    ["POST /v1/host-key/revoke", { run: revoke }],
  ];
};

const MAX_REASON = 500;

const readRevocation = ({ value }: RestBody): { keyId: string; reason: string } => {
  const { keyId, reason } = value;
  if (typeof keyId !== "string" || !/^[0-9a-f]{16}$/.test(keyId)) {
    throw new Refusal("bad_request", {
      message: '"keyId" is not the id of a key.',
      next: "Send the 16 characters that GET /v1/host-key shows.",
    });
  }
  if (typeof reason !== "string" || reason.trim() === "" || reason.length > MAX_REASON) {
    throw new Refusal("bad_request", {
      message: `"reason" is not a text of 1 to ${MAX_REASON} characters.`,
      next: "Say why, since the revocation is published with it.",
    });
  }
  return { keyId, reason };
};
