/**
 * What makes two requests the same call: whose it is and the key that the caller gave it. The key is bound to what was called
 * and with which arguments, as they came, so that it is no key to anything else.
 */
import { hash } from "node:crypto";
import type { RawCall } from "../../kernel/call.ts";
import { jcs } from "../../kernel/jcs.ts";
import { principalName } from "../../kernel/principal-name.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Stopped } from "../../kernel/stages.ts";

/** Where its answer is kept; SHA-256 in hex. */
export const keyOf = (principal: Principal, onceKey: string): string =>
  hash("sha256", JSON.stringify([principalName(principal), principal.workspace, onceKey]));

/** What was called and with what. */
const callText = ({ operation, provider, name, args, canonicalArgs }: Stopped): string =>
  `${JSON.stringify([operation, provider, name])}${canonicalArgs ?? jcs(args)}`;

/** The same; SHA-256 in base64url. Asked twice a call. */
export const callHash = (call: Stopped): string => {
  const known = call.once?.hash ?? null;
  if (known !== null) return known;
  const made = hash("sha256", callText(call), "base64url");
  if (call.once !== undefined) call.once.hash = made;
  return made;
};

export const isSameCall = (one: RawCall, other: RawCall): boolean => callText(one) === callText(other);
