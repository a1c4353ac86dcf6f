/**
 * What a request of the API shows for itself: the key in its header, else the login that its cookie stands for. Other doors
 * know no cookies. A cookie comes along whoever made the page that sends it, so what changes something needs a header too,
 * which no other site's page can set.
 */
import type { IncomingMessage } from "node:http";
import type { Presented } from "../kernel/principal.ts";
import { present } from "./authenticate.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { challenge } from "./challenge.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { endLoginCookie, readLoginCookie } from "./login-cookie.ts";
import type { Logins } from "./logins.ts";

export interface Shown {
  readonly credential: Presented;
  /** The id of the login and its end; null: there is none. */
  readonly login: { readonly id: string; readonly over: AbortSignal } | null;
  /** Nothing at all, good or bad. */
  readonly isNothing: boolean;
}

const HEADER = "x-bailiwick";
const NOBODY: Presented = { kind: "none" };

type Deps = Pick<ListenerDeps, "noAuth" | "limits" | "rejected" | "tokens">;

/** `isOpen`: who shows nothing is answered too, and so is whoever has logged out without knowing. */
export const showCredential = (
  deps: Deps,
  req: IncomingMessage,
  { logins, isOpen }: { readonly logins: Logins; readonly isOpen: boolean },
): Shown | DoorRefusal => {
  const { authorization, cookie } = req.headers;
  if (authorization !== undefined) return { credential: present(authorization), login: null, isNothing: false };
  const id = deps.noAuth ? null : readLoginCookie(cookie);
  if (id === null) return { credential: NOBODY, login: null, isNothing: true };
  const login = logins.find(id);
  if (login === null) return isOpen ? { credential: NOBODY, login: null, isNothing: true } : ended(deps, req);
  if (req.method !== "GET" && req.method !== "HEAD" && req.headers[HEADER] !== "1") return unmarked();
  return { credential: login.credential, login: { id, over: login.over.signal }, isNothing: false };
};

const ended = ({ rejected, tokens, limits }: Deps, req: IncomingMessage): DoorRefusal => {
  rejected(req.socket.remoteAddress ?? "unknown");
  return doorRefusal("unauthenticated", {
    message: "This login has ended, or is none of this host's.",
    next: 'Log in again: POST /v1/auth/login {"key": "<key>"}.',
    headers: { ...challenge(tokens, null), "Set-Cookie": endLoginCookie(limits.publicOrigin) },
  });
};

const unmarked = (): DoorRefusal =>
  doorRefusal("bad_origin", {
    message: "A request that changes something came with the cookie of a login alone.",
    next: 'Send the header "X-Bailiwick: 1" with it, or "Authorization: Bearer <key>" instead of the cookie.',
  });
