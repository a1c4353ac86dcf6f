/**
 * Has a token verified before the door asks who it is. Null for everybody who need not wait: keys, tokens that are
 * remembered, hosts that take no tokens.
 */
import type { IncomingMessage } from "node:http";
import type { Presented } from "../kernel/principal.ts";
import { present } from "./authenticate.ts";
import { callerLeft } from "./caller-left.ts";
import { challenge } from "./challenge.ts";
import { asDoorRefusal, doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { TokenDoor } from "./token-door.ts";

type Deps = Pick<ListenerDeps, "tokens" | "rejected">;

/** `credential`: what was shown, where that is not in the header. */
export const admitToken = (
  deps: Deps,
  req: IncomingMessage,
  credential?: Presented,
): Promise<DoorRefusal | null> | null => {
  const { tokens } = deps;
  if (tokens === null) return null;
  const presented = credential ?? present(req.headers.authorization);
  if (presented.kind !== "bearer" || !tokens.needsAdmission(presented.token)) return null;
  return admit({ deps, tokens, req }, presented.token);
};

interface Admission {
  readonly deps: Deps;
  readonly tokens: TokenDoor;
  readonly req: IncomingMessage;
}

const admit = async ({ deps, tokens, req }: Admission, token: string): Promise<DoorRefusal | null> => {
  const fault = await tokens.admit(token);
  // Whoever left in the meantime is not noticed by what listens from here on.
  if (fault === null) return req.destroyed || req.socket.destroyed ? asDoorRefusal(callerLeft()) : null;
  deps.rejected(req.socket.remoteAddress ?? "unknown");
  return doorRefusal("unauthenticated", {
    message: `This token is not accepted: ${fault}.`,
    next: `Get a token for ${tokens.resource()} from ${tokens.issuer}; "bailiwick doctor" says whether its keys can be had.`,
    headers: challenge(tokens, { error: "invalid_token", description: fault }),
  });
};
