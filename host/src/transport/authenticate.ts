/**
 * Reads who a request is from, and for which workspace. Only the Authorization and X-Workspace-Id headers count, never the
 * URL. A door that knows logins too says itself what was shown to it.
 */
import type { IncomingMessage } from "node:http";
import type { RawCall } from "../kernel/call.ts";
import type { Door, Presented, Principal } from "../kernel/principal.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import { challenge } from "./challenge.ts";
import { asDoorRefusal, doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";

export interface Caller {
  readonly presented: Presented;
  readonly principal: Principal;
  readonly verified: RawCall["verified"];
  /** Whether the login that it came with has ended; absent: it came with none. */
  readonly isLoggedOut?: () => boolean;
  /** Aborted when that login ends. */
  readonly loggedOut?: AbortSignal;
}

export interface Knock {
  readonly req: IncomingMessage;
  readonly door: Door;
  /** Without a workspace. */
  readonly credential: Presented;
}

const NOBODY: Presented = { kind: "none" };
const SCHEME = "bearer ";

export const present = (header: string | undefined): Presented => {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return NOBODY;
  const token = header.slice(SCHEME.length).trim();
  return token === "" ? NOBODY : { kind: "bearer", token };
};

const inWorkspace = (presented: Presented, header: string | string[] | undefined): Presented =>
  header === undefined ? presented : { ...presented, workspace: String(header) };

export const authenticate = (deps: ListenerDeps, req: IncomingMessage, door: Door): Caller | DoorRefusal =>
  findCaller(deps, { req, door, credential: present(req.headers.authorization) });

type Deps = Pick<ListenerDeps, "identify" | "rejected" | "tokens">;

export const findCaller = (deps: Deps, { req, door, credential }: Knock): Caller | DoorRefusal => {
  const presented = inWorkspace(credential, req.headers["x-workspace-id"]);
  const principal = deps.identify(presented, door);
  if (principal) return { presented, principal, verified: { principal, at: Date.now() } };
  if (deps.identify.knows(presented)) return asDoorRefusal(unknownWorkspace());
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  return doorRefusal("unauthenticated", {
    message: presented.kind === "none" ? "This request carries no key." : "This key is not known here, or was revoked.",
    next: 'Send "Authorization: Bearer <key>". The owner key is in the file that "bailiwick serve" names; "bailiwick key create --name <name>" makes more.',
    headers: challenge(deps.tokens, presented.kind === "none" ? null : { error: "invalid_token" }),
  });
};

/** Looked at anew: a key may have been revoked since, and a login ended. */
export const isStillKnown = (
  { identify }: Pick<ListenerDeps, "identify">,
  { presented, isLoggedOut }: Pick<Caller, "presented" | "isLoggedOut">,
): boolean => isLoggedOut?.() !== true && identify(presented, "rest") !== null;
