/** Reads the credential of a request. Only the Authorization header counts, never the URL. */
import type { IncomingMessage } from "node:http";
import type { RawCall } from "../kernel/call.ts";
import type { Door, Presented, Principal } from "../kernel/principal.ts";
import { challenge } from "./challenge.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";

export interface Caller {
  readonly presented: Presented;
  readonly principal: Principal;
  readonly verified: RawCall["verified"];
}

const NOBODY: Presented = { kind: "none" };
const SCHEME = "bearer ";

export const present = (header: string | undefined): Presented => {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return NOBODY;
  const token = header.slice(SCHEME.length).trim();
  return token === "" ? NOBODY : { kind: "bearer", token };
};

export const authenticate = (deps: ListenerDeps, req: IncomingMessage, door: Door): Caller | DoorRefusal => {
  const presented = present(req.headers.authorization);
  const principal = deps.identify(presented, door);
  if (principal) return { presented, principal, verified: { principal, at: Date.now() } };
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  return doorRefusal("unauthenticated", {
    message: presented.kind === "none" ? "This request carries no key." : "This key is not known here, or was revoked.",
    next: 'Send "Authorization: Bearer <key>". The owner key is in the file that "bailiwick serve" names; "bailiwick key create --name <name>" makes more.',
    headers: challenge(deps.tokens, presented.kind === "none" ? null : { error: "invalid_token" }),
  });
};
