/**
 * The pages on which a person connects an account: what is asked for, who asks, and the way back from the authorization
 * server. Looking starts nothing; whoever goes on shows a key of this host, so that nobody is led to connect an account for
 * a stranger. These are pages, not API: what they refuse is said in HTML.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import { Refusal } from "../kernel/refusal.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import { isWorkspaceId } from "../kernel/workspace.ts";
import { present } from "./authenticate.ts";
import { flowCookie, readFlowCookie } from "./flow-cookie.ts";
import { sendPage, type Page } from "./html-page.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { openWorkspace } from "./open-workspace.ts";
import { connectedPage, consentPage, refusedPage, startPage } from "./oauth-pages.ts";
import { readForm } from "./read-form.ts";
import { requirePermission } from "./require-permission.ts";
import { sendJson } from "./send-json.ts";

const ROOT = "/v1/oauth/";
const START = `${ROOT}start/`;
const PROVIDER = /^[a-z0-9][a-z0-9-]{0,47}$/;
const PRINCIPAL = /^[\x20-\x7e]{1,300}$/;

export interface PageRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly route: { readonly path: string; readonly query: URLSearchParams };
}

/** False: the request is for something else. */
export type OAuthRoutes = (request: PageRequest) => Promise<boolean>;

export const createOAuthRoutes = (deps: ListenerDeps): OAuthRoutes => {
  const { oauth } = deps;

  const begin = async (req: IncomingMessage, provider: string): Promise<Page> => {
    const form = await readForm(req);
    const { principal, names } = identify(deps, req, { key: form.get("key"), workspace: form.get("workspace") });
    const unopened = await openWorkspace(deps, req, { principal });
    if (unopened) throw unopened.refusal;
    if (!deps.surfaces.providers(principal).some(({ name }) => name === provider)) throw unknownProvider(provider);
    const { workspace } = principal;
    const wanted = form.get("for") ?? principalName(principal);
    if (!PRINCIPAL.test(wanted)) throw unknownProvider(provider);
    const owner = oauth.ownerFor(provider, wanted, workspace);
    const isTheirs = names.includes(owner) || owner.endsWith(` for ${principal.id}`);
    if (!isTheirs) requirePermission(principal, "bundles:manage");
    const consent = await oauth.begin({ workspace, provider, owner, by: principalName(principal) });
    const state = new URL(consent.url).searchParams.get("state") ?? "";
    const cookie = flowCookie({ state, value: consent.browser, origin: oauth.origin() });
    return { ...consentPage(consent), headers: { "Set-Cookie": cookie } };
  };

  const finish = async (req: IncomingMessage, answer: URLSearchParams): Promise<Page> => {
    const { provider, owner } = await oauth.finish(
      answer,
      readFlowCookie(req.headers.cookie, answer.get("state") ?? ""),
    );
    return connectedPage(provider, owner);
  };

  const start = (req: IncomingMessage, provider: string, query: URLSearchParams): Page => {
    const origin = oauth.origin();
    // The cookie of the way belongs to one name of this machine, and the way back leads to that one.
    if (isOtherLoopback(req.headers.host ?? "", origin)) return moved(`${origin}${req.url ?? ""}`);
    const [wanted, workspace] = [query.get("for"), query.get("workspace")];
    return startPage({
      provider,
      wanted: wanted !== null && PRINCIPAL.test(wanted) ? wanted : null,
      workspace: workspace !== null && isWorkspaceId(workspace) ? workspace : null,
      noAuth: deps.noAuth,
    });
  };

  const page = ({ req, route: { path, query } }: PageRequest): Page | Promise<Page> | null => {
    const { method } = req;
    if (path === `${ROOT}callback` && method === "GET") return finish(req, query);
    const provider = path.startsWith(START) ? path.slice(START.length) : "";
    if (!PROVIDER.test(provider)) return null;
    if (method === "POST") return begin(req, provider);
    return method === "GET" ? start(req, provider, query) : null;
  };

  return async (request) => {
    const { req, res, route } = request;
    if (!route.path.startsWith(ROOT)) return false;
    if (route.path === `${ROOT}client.json` && req.method === "GET") {
      sendJson(res, { status: 200, text: JSON.stringify(oauth.clientDocument()) });
      return true;
    }
    const found = await Promise.resolve(page(request)).catch(refused);
    if (found !== null) sendPage(res, found);
    return found !== null;
  };
};

const refused = (error: unknown): Page => {
  if (error instanceof Refusal) return refusedPage(error);
  throw error;
};

interface Holder {
  readonly principal: Principal;
  /** A key acts under one name here and perhaps under another behind an MCP client; both are its holder's. */
  readonly names: readonly string[];
}

interface Shown {
  readonly key: string | null;
  readonly workspace: string | null;
}

const identify = (deps: ListenerDeps, req: IncomingMessage, { key, workspace }: Shown): Holder => {
  const credential =
    key === null ? present(req.headers.authorization) : ({ kind: "bearer", token: key.trim() } as const);
  const presented = workspace === null ? credential : { ...credential, workspace };
  const principal = deps.identify(presented, "rest");
  const behindClient = deps.identify(presented, "mcp");
  if (principal && behindClient) return { principal, names: [principalName(principal), principalName(behindClient)] };
  if (deps.identify.knows(presented)) throw unknownWorkspace();
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  throw new Refusal("unauthenticated", {
    message: presented.kind === "none" ? "No key was given." : "This key is not known here, or was revoked.",
    next: 'Go back and give a key of this host. The owner key is in the file that "bailiwick serve" names.',
  });
};

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=:|$)/i;

/** Both are this machine, under different names. */
const isOtherLoopback = (host: string, origin: string): boolean => {
  const own = new URL(origin).host;
  return host.toLowerCase() !== own && LOOPBACK.test(host) && LOOPBACK.test(own);
};

const moved = (url: string): Page => ({ status: 302, title: "Elsewhere", body: "", headers: { Location: url } });

const unknownProvider = (provider: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no bundle "${provider}" for you.`,
    next: "List the bundles with: bailiwick bundle list",
  });
