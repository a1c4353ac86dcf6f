/**
 * Who a CHP request is from: `X-CHP-Key`, else `X-CHP-Token`, else `Authorization`, where a bearer may be an API key, a
 * token of the issuer or a CHP token.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Presented } from "../../kernel/principal.ts";
import { unknownWorkspace } from "../../kernel/unknown-workspace.ts";
import { present, type Caller } from "../authenticate.ts";
import { challenge } from "../challenge.ts";
import { asDoorRefusal, doorRefusal, type DoorRefusal } from "../door-refusal.ts";
import type { ListenerDeps } from "../listener-deps.ts";

const NOBODY: Presented = { kind: "none" };

/** JSON, plain or in base64. A token of an issuer has dots, which neither has. */
const isChpToken = (token: string): boolean =>
  token.startsWith("{") || (token.startsWith("ey") && !token.includes("."));

const textOf = (header: string | string[] | undefined): string => (typeof header === "string" ? header : "");

const presentedBy = (headers: IncomingHttpHeaders): Presented => {
  const key = textOf(headers["x-chp-key"]);
  if (key !== "") return { kind: "chp-key", text: key };
  const token = textOf(headers["x-chp-token"]);
  if (token !== "") return { kind: "chp-token", token };
  if (headers.authorization === undefined) return NOBODY;
  const bearer = present(headers.authorization);
  return bearer.kind === "bearer" && isChpToken(bearer.token) ? { kind: "chp-token", token: bearer.token } : bearer;
};

/** Whether the request shows anything at all, right or wrong. */
export const presentsSomething = ({ headers }: IncomingMessage): boolean => presentedBy(headers).kind !== "none";

export const authenticateChp = (deps: ListenerDeps, req: IncomingMessage): Caller | DoorRefusal => {
  const shown = presentedBy(req.headers);
  const workspace = req.headers["x-workspace-id"];
  const presented = workspace === undefined ? shown : { ...shown, workspace: String(workspace) };
  const principal = deps.identify(presented, "chp");
  if (principal) return { presented, principal, verified: { principal, at: Date.now() } };
  if (deps.identify.knows(presented)) return asDoorRefusal(unknownWorkspace());
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  return doorRefusal("unauthenticated", {
    message: presented.kind === "none" ? "This request carries no credential." : "This credential is not known here.",
    next: 'Send "X-CHP-Key: <name>:<key>" with a key of auth.chpKeys, or "Authorization: Bearer <key>" with one that "bailiwick key create" made.',
    headers: challenge(deps.tokens, presented.kind === "none" ? null : { error: "invalid_token" }),
  });
};
