/**
 * What makes two requests the same call: whose it is and the key that the caller gave it. The key is bound to what was called
 * and with which arguments, as they came, so that it is no key to anything else.
 */
import { hash } from "node:crypto";
import type { RawCall } from "../../kernel/call.ts";
import { jcs } from "../../kernel/jcs.ts";
import { principalName } from "../../kernel/principal-name.ts";
import type { Principal } from "../../kernel/principal.ts";

export interface OnceBinding {
  /** Where its answer is kept; SHA-256 in hex. */
  readonly key: string;
  /** Of what was called and with what; SHA-256 in hex. */
  readonly call: string;
}

const bindings = new WeakMap<RawCall, OnceBinding>();

/** Remembered for the call, until its answer is kept. */
export const bindOnce = (call: RawCall, principal: Principal, onceKey: string): OnceBinding => {
  const { operation, provider, name, args } = call;
  const binding = {
    key: hash("sha256", JSON.stringify([principalName(principal), principal.workspace, onceKey])),
    call: hash("sha256", `${JSON.stringify([operation, provider, name])}${jcs(args)}`),
  };
  bindings.set(call, binding);
  return binding;
};

/** Null: the call may be made as often as somebody likes. */
export const bindingOf = (call: RawCall): OnceBinding | null =>
  (call.envelope?.onceKey ?? null) === null ? null : (bindings.get(call) ?? null);
