/** The routes on which a browser logs in and out, and on which everybody sees who they are here. */
import type { IncomingMessage } from "node:http";
import type { Presented } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { admitToken } from "./admit-token.ts";
import { findCaller, type Caller } from "./authenticate.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { LoginAttempts } from "./login-attempts.ts";
import { endLoginCookie, loginCookie, readLoginCookie } from "./login-cookie.ts";
import { endOf, type Login, type Logins } from "./logins.ts";
import { readOptionalBody } from "./read-optional-body.ts";
import { readRestBody, type RestBody } from "./read-rest-body.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import type { JsonAnswer } from "./send-json.ts";

type Run = RestRoute["run"];

const MAX_KEY = 16_384;
const NOT_STORED = { "Cache-Control": "no-store" };

export const createLoginRoutes = (deps: ListenerDeps, logins: Logins): [string, RestRoute][] => {
  const attempts = new LoginAttempts();
  const { publicOrigin } = deps.limits;

  const holderOf = async (req: IncomingMessage, key: string): Promise<Caller> => {
    const credential: Presented = deps.noAuth ? { kind: "none" } : { kind: "bearer", token: key };
    const found = (await admitToken(deps, req, credential)) ?? findCaller(deps, { req, door: "rest", credential });
    if (!("refusal" in found)) return found;
    if (found.refusal.kind !== "unauthenticated") throw found.refusal;
    attempts.check(sourceOf(req));
    attempts.failed(sourceOf(req));
    throw wrongKey(found.refusal.message);
  };

  const login = async (req: IncomingMessage): Promise<JsonAnswer> => {
    const key = readKey(await readRestBody(req));
    const caller = await holderOf(req, key);
    // Without keys there is nothing that a cookie could stand for.
    if (deps.noAuth) return { ...ok(seen(caller, deps, null)), headers: NOT_STORED };
    await deps.recordLogin("login", caller.principal);
    const id = logins.begin(key, caller.principal.credentialId);
    const cookie = loginCookie(id, publicOrigin);
    return { ...ok(seen(caller, deps, logins.find(id))), headers: { ...NOT_STORED, "Set-Cookie": cookie } };
  };

  const logout: Run = async ({ req, caller }) => {
    await readOptionalBody(req);
    const id = readLoginCookie(req.headers.cookie);
    const ended = id !== null && logins.has(id);
    if (id !== null) logins.end(id);
    if (ended) await deps.recordLogin("logout", caller.principal);
    return { ...ok({ ended }), headers: { ...NOT_STORED, "Set-Cookie": endLoginCookie(publicOrigin) } };
  };

  const session: Run = ({ req, caller }) => {
    const id = caller.isLoggedOut ? readLoginCookie(req.headers.cookie) : null;
    return { ...ok(seen(caller, deps, id === null ? null : logins.find(id))), headers: NOT_STORED };
  };

  return [
    ["POST /v1/auth/login", { run: ({ req }) => login(req), open: login }],
    ["POST /v1/auth/logout", { run: logout }],
    ["GET /v1/auth/session", { run: session }],
  ];
};

/** Never the key. `expiresAt`: when the login ends if it is not used again; null: there is none. */
const seen = ({ principal }: Caller, { noAuth }: Pick<ListenerDeps, "noAuth">, login: Login | null): object => ({
  principal: principal.id,
  kind: principal.kind,
  onBehalfOf: principal.onBehalfOf,
  workspace: principal.workspace,
  roles: principal.roles,
  permissions: principal.permissions,
  scopes: principal.scopes,
  credential: principal.credentialId,
  expiresAt: login === null ? null : new Date(endOf(login)).toISOString(),
  noAuth,
});

const sourceOf = (req: IncomingMessage): string => req.socket.remoteAddress ?? "unknown";

const readKey = ({ value: { key, ...rest } }: RestBody): string => {
  const [other] = Object.keys(rest);
  const next = 'Send {"key": "<key>"} alone.';
  if (other !== undefined) {
    throw new Refusal("bad_request", { message: `${JSON.stringify(other.slice(0, 64))} is no field here.`, next });
  }
  const text = typeof key === "string" ? key.trim() : "";
  if (text !== "" && text.length <= MAX_KEY) return text;
  throw new Refusal("bad_request", { message: `"key" is not a text of 1 to ${MAX_KEY} characters.`, next });
};

const wrongKey = (message: string): Refusal =>
  new Refusal("unauthenticated", {
    message,
    next: 'Give a key of this host. The owner key is in the file that "bailiwick serve" names; "bailiwick key create --name <name>" makes more.',
  });
