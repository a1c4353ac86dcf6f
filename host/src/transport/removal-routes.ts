/** The routes on which evidence is taken out for good. For persons with the permission; what may go is decided elsewhere. */
import type { PurgeAsked, RedactionAsked } from "../kernel/evidence-removal.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readRestBody, type RestBody } from "./read-rest-body.ts";
import { requirePermission } from "./require-permission.ts";
import { requirePerson } from "./require-person.ts";
import { ok, type RestRoute } from "./rest-route.ts";

type Run = RestRoute["run"];

const MAX_ID = 256;
const MAX_REASON = 500;

export const createRemovalRoutes = ({ removal }: Pick<ListenerDeps, "removal">): [string, RestRoute][] => {
  const purge: Run = async ({ req, caller: { principal } }) => {
    admit(principal, "bailiwick evidence purge <correlation> --reason <text>");
    return ok(await removal.purge(readPurge(await readRestBody(req)), principal));
  };
  const redact: Run = async ({ req, caller: { principal } }) => {
    admit(principal, "bailiwick evidence redact <sequence or event id> --reason <text>");
    return ok(await removal.redact(readRedaction(await readRestBody(req)), principal));
  };
  return [
    ["POST /v1/evidence/purge", { run: purge }],
    ["POST /v1/evidence/redact", { run: redact }],
  ];
};

const admit = (principal: Principal, command: string): void => {
  requirePermission(principal, "host:admin");
  requirePerson(principal, command);
};

const readPurge = ({ value }: RestBody): PurgeAsked => {
  const { correlation, reason, ...more } = value;
  refuseMore(more, "correlation, reason");
  return { correlation: textOf("correlation", correlation, MAX_ID), reason: textOf("reason", reason, MAX_REASON) };
};

const readRedaction = ({ value }: RestBody): RedactionAsked => {
  const { event, reason, ...more } = value;
  refuseMore(more, "event, reason");
  const id = Number.isSafeInteger(event) ? String(event) : event;
  return { event: textOf("event", id, MAX_ID), reason: textOf("reason", reason, MAX_REASON) };
};

const textOf = (name: string, value: unknown, most: number): string => {
  if (typeof value === "string" && value.trim() !== "" && value.length <= most) return value;
  throw new Refusal("bad_request", {
    message: `"${name}" is not a text of 1 to ${most} characters.`,
    next: name === "reason" ? "Say why; the reason is recorded." : `Send the ${name} that GET /v1/evidence shows.`,
  });
};

const refuseMore = (more: object, known: string): void => {
  const [unknown] = Object.keys(more);
  if (unknown === undefined) return;
  throw new Refusal("bad_request", {
    message: `${JSON.stringify(unknown.slice(0, 100))} is no field of this.`,
    next: `Use: ${known}.`,
  });
};
