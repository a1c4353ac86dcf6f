/**
 * Who calls: whom the door found a moment ago, else whoever is found now. A body may be long in coming, and a key may be
 * revoked meanwhile.
 */
import type { RawCall } from "./call.ts";
import type { Identify, Principal } from "./principal.ts";

const BELIEVED_MS = 1_000;

export const verifiedPrincipal = (identify: Identify, call: RawCall): Principal | null => {
  const { verified } = call;
  const isRecent = verified !== null && Date.now() - verified.at < BELIEVED_MS;
  return isRecent ? verified.principal : identify(call.presented, call.door);
};
