/**
 * The routes on which people see and decide what waits for them. Only people decide; whoever asked may see its own and take
 * it back.
 */
import type { ApprovalRecord } from "../kernel/approvals.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readApprovalPage, readDecision, readStanding } from "./read-approval-orders.ts";
import { readRestBody } from "./read-rest-body.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import type { JsonAnswer } from "./send-json.ts";

type Run = RestRoute["run"];

/** Arguments may be large; a page ends with the record that goes beyond this. */
const PAGE_CHARACTERS = 4_194_304;

export const createApprovalRoutes = ({ approvals }: Pick<ListenerDeps, "approvals">): [string, RestRoute][] => {
  const list: Run = ({ caller, query }) => {
    const { principal } = caller;
    const { state, limit, cursor } = readApprovalPage(query);
    if (cursor !== null && approvals.get(principal, cursor) === null) throw goneCursor();
    const wanted = { ...(state === undefined ? {} : { state }), ...(cursor === null ? {} : { before: cursor }) };
    return pageOf(approvals.list(principal, wanted), limit);
  };
  const show: Run = ({ caller, argument }) => {
    const record = approvals.get(caller.principal, argument);
    if (record === null) throw unknownApproval();
    return ok(record);
  };
  const decide: Run = async ({ req, caller, argument }) => {
    requireDecider(caller.principal, `bailiwick approve ${echo(argument)}`);
    return ok(await approvals.decide(caller.principal, argument, readDecision(await readRestBody(req))));
  };
  const withdraw: Run = async ({ caller, argument }) => ok(await approvals.cancel(caller.principal, argument));
  const standing: Run = ({ caller }) => ok({ standing: approvals.standing(caller.principal) });
  const grant: Run = async ({ req, caller }) => {
    requireDecider(caller.principal, "bailiwick approve");
    return ok(await approvals.grantStanding(caller.principal, readStanding(await readRestBody(req))), 201);
  };
  const revoke: Run = async ({ caller, argument }) => {
    requireDecider(caller.principal, "bailiwick approve");
    return ok(await approvals.revokeStanding(caller.principal, argument));
  };
  return [
    ["GET /v1/approvals", { run: list }],
    ["GET /v1/approvals/*", { run: show }],
    ["POST /v1/approvals/*", { run: decide }],
    ["DELETE /v1/approvals/*", { run: withdraw }],
    ["GET /v1/standing-approvals", { run: standing }],
    ["POST /v1/standing-approvals", { run: grant }],
    ["DELETE /v1/standing-approvals/*", { run: revoke }],
  ];
};

/** As much of them as fits; `nextCursor` is the last one shown, null when there are no more. */
const pageOf = (records: Iterable<ApprovalRecord>, limit: number): JsonAnswer => {
  const texts: string[] = [];
  let characters = 0;
  let last: string | null = null;
  let next: string | null = null;
  for (const record of records) {
    if (texts.length === limit || characters >= PAGE_CHARACTERS) {
      next = last;
      break;
    }
    const text = JSON.stringify(record);
    characters += text.length;
    texts.push(text);
    last = record.id;
  }
  return { status: 200, text: `{"approvals":[${texts.join(",")}],"nextCursor":${JSON.stringify(next)}}` };
};

/** The caller's own words are put into no command. */
const echo = (id: string): string => (/^apr_[0-9a-f]{32}$/.test(id) ? `${id} yes` : "<id> yes");

const requireDecider = ({ kind, id }: Principal, command: string): void => {
  if (kind === "person") return;
  throw new Refusal("not_visible", {
    message: `${id} is no person, and only people decide.`,
    next: `Ask a person to run: ${command}`,
  });
};

const unknownApproval = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such approval that you asked for or may decide.",
    next: "List those there are: GET /v1/approvals",
  });

const goneCursor = (): Refusal =>
  new Refusal("bad_request", {
    message: '"cursor" is none of this list.',
    next: "Send nextCursor of the page before, or leave it out.",
  });
