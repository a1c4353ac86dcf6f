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

/** Half of a SHA-256 tells keys apart, and the calls of one caller. */
const KEY_DIGITS = 32;
const HASH_CHARS = 22;

/** What the keys of each caller begin with. */
const callers = new WeakMap<Principal, string>();

const callerText = (principal: Principal): string => {
  const known = callers.get(principal);
  if (known !== undefined) return known;
  const text = JSON.stringify([principalName(principal), principal.workspace]).slice(0, -1);
  callers.set(principal, text);
  return text;
};

/** Where its answer is kept. */
export const keyOf = (principal: Principal, onceKey: string): string =>
  hash("sha256", `${callerText(principal)},${JSON.stringify(onceKey)}]`).slice(0, KEY_DIGITS);

/** What calls are hashed with, so that nobody who reads the log can guess at arguments. */
export const ONCE_PURPOSE = "once";

type Called = Pick<Stopped, "operation" | "provider" | "name">;

/** What was called last, and the text of it: calls of one tool come one after another. */
let last: Called = { operation: "call", provider: null, name: "" };
let lastText = JSON.stringify(["call", null, ""]);

const calledText = (call: Called): string => {
  const { operation, provider, name } = call;
  if (name === last.name && provider === last.provider && operation === last.operation) return lastText;
  last = { operation, provider, name };
  lastText = JSON.stringify([operation, provider, name]);
  return lastText;
};

/** What was called and with what. */
const callText = (call: Stopped): string => calledText(call) + (call.canonicalArgs ?? jcs(call.args));

/** The same, hashed with a secret. Asked twice a call. */
export const callHash = (call: Stopped, secret: string): string => {
  const known = call.once?.hash ?? null;
  if (known !== null) return known;
  const made = shortHash(hash("sha256", `${secret}${callText(call)}`, "base64url"));
  if (call.once !== undefined) call.once.hash = made;
  return made;
};

/** As earlier versions kept it, without a secret, beside answers that are sealed. */
export const earlierCallHash = (call: Stopped): string => shortHash(hash("sha256", callText(call), "base64url"));

/** Of a whole one in base64url. */
export const shortHash = (whole: string): string => whole.slice(0, HASH_CHARS);

export const isSameCall = (one: RawCall, other: RawCall): boolean => callText(one) === callText(other);
