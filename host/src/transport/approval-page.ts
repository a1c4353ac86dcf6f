/**
 * The page on which a person decides about one call. Opening it tells nothing: what is asked is shown to whoever gave a key
 * of this host and may decide it. There is no login: each form carries the key, which stands in no address and no cookie.
 */
import type { IncomingMessage } from "node:http";
import type { Presented, Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { DEFAULT_WORKSPACE, isWorkspaceId } from "../kernel/workspace.ts";
import { decidedPage, decisionPage, keyPage, refusedPage, type ApprovalForm } from "./approval-page-texts.ts";
import { sendPage, type Page } from "./html-page.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { PageRequest } from "./oauth-routes.ts";
import { readForm } from "./read-form.ts";

const ROOT = "/approvals/";
const ID = /^apr_[0-9a-f]{32}$/;
const MAX_REASON = 500;

/** False: the request is for something else. */
export type ApprovalPage = (request: PageRequest) => Promise<boolean>;

export const approvalLink = (origin: string, id: string, workspace: string): string =>
  `${origin}${ROOT}${id}${workspace === DEFAULT_WORKSPACE ? "" : `?workspace=${workspace}`}`;

type Deps = Pick<ListenerDeps, "approvals" | "identify" | "noAuth" | "rejected" | "tokens">;

export const createApprovalPage = (deps: Deps): ApprovalPage => {
  const { approvals, noAuth } = deps;

  const show = (who: Principal, form: ApprovalForm): Page => {
    const record = approvals.get(who, form.id);
    if (record === null) throw unknownApproval();
    return decisionPage(record, form);
  };

  const decide = async (who: Principal, form: ApprovalForm, fields: URLSearchParams): Promise<Page> => {
    const reason = (fields.get("reason") ?? "").trim().slice(0, MAX_REASON);
    const approve = fields.get("decision") === "approve";
    return decidedPage(await approvals.decide(who, form.id, { approve, ...(reason !== "" && { reason }) }));
  };

  const post = async (req: IncomingMessage, form: ApprovalForm): Promise<Page> => {
    const fields = await readForm(req);
    const who = await identify(deps, req, { key: fields.get("key"), workspace: form.workspace });
    if (who === null) return keyPage(form, WRONG_KEY);
    if (who.kind !== "person") throw notAPerson(who.id);
    const decision = fields.get("decision");
    return decision === "approve" || decision === "deny" ? decide(who, form, fields) : show(who, form);
  };

  const page = async ({ req, route: { path, query } }: PageRequest): Promise<Page | null> => {
    const id = path.slice(ROOT.length);
    if (!ID.test(id)) return null;
    const workspace = query.get("workspace");
    const form = { id, noAuth, workspace: workspace !== null && isWorkspaceId(workspace) ? workspace : null };
    if (req.method === "POST") return post(req, form);
    if (req.method !== "GET") return null;
    const local = noAuth ? await identify(deps, req, { key: null, workspace: form.workspace }) : null;
    return local === null ? keyPage(form, null) : show(local, form);
  };

  return async (request) => {
    if (!request.route.path.startsWith(ROOT)) return false;
    const found = await page(request).catch(refused);
    if (found !== null) sendPage(request.res, found);
    return found !== null;
  };
};

const refused = (error: unknown): Page => {
  if (error instanceof Refusal) return refusedPage(error);
  throw error;
};

interface Shown {
  readonly key: string | null;
  readonly workspace: string | null;
}

/** Null: this key is none, and that is counted. */
const identify = async (deps: Deps, req: IncomingMessage, { key, workspace }: Shown): Promise<Principal | null> => {
  const token = key?.trim() ?? "";
  const credential: Presented = token === "" ? { kind: "none" } : { kind: "bearer", token };
  const presented = workspace === null ? credential : { ...credential, workspace };
  if (token !== "" && deps.tokens?.needsAdmission(token) === true) await deps.tokens.admit(token);
  const principal = deps.identify(presented, "rest");
  if (principal !== null) return principal;
  // A good key that has no business in this workspace learns no more than anybody else.
  if (deps.identify.knows(presented)) throw unknownApproval();
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  return null;
};

const WRONG_KEY = "This key is not known here, or was revoked.";

const unknownApproval = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such approval that you may decide.",
    next: "Look at the link again, or give the key of somebody who may; bailiwick approve lists what waits.",
  });

const notAPerson = (id: string): Refusal =>
  new Refusal("not_visible", {
    message: `This is the key of ${id}, which is no person, and only people decide.`,
    next: "Go back and give a person's key. The owner's is in the file that bailiwick serve names.",
  });
