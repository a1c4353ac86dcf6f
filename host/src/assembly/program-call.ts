/** A call that comes from a program or the terminal instead of a wire. It takes the same path as any other. */
import { NOBODY } from "../kernel/ask.ts";
import type { RawCall } from "../kernel/call.ts";
import { NO_ENVELOPE } from "../kernel/envelope.ts";
import type { Presented } from "../kernel/principal.ts";
import type { CallListener } from "../kernel/provider.ts";
import { NO_MEMBERS, rawJson } from "../kernel/raw-json.ts";
import type { CallOptions } from "./host.ts";

export interface ProgramCall extends CallOptions {
  readonly door: "cli" | "program";
  /** The local user, in a workspace. */
  readonly presented: Extract<Presented, { kind: "local" }>;
}

const listenerOf = (onProgress: CallOptions["onProgress"]): CallListener => ({
  progress: (members) => onProgress?.(JSON.parse(`{${members}}`) as Parameters<NonNullable<typeof onProgress>>[0]),
  log: () => {},
  level: () => null,
});

export const programCall = (name: string, args: Readonly<Record<string, unknown>>, options: ProgramCall): RawCall => {
  const argsJson = rawJson(JSON.stringify(args));
  return {
    door: options.door,
    operation: "call",
    name,
    provider: null,
    args: JSON.parse(argsJson) as Record<string, unknown>,
    argsJson,
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    providerHint: null,
    traceparent: null,
    presented:
      options.principal === undefined ? options.presented : { ...options.presented, principal: options.principal },
    verified: null,
    surface: null,
    signal: options.signal ?? new AbortController().signal,
    listener: listenerOf(options.onProgress),
    asker: NOBODY,
    input: null,
    continues: null,
    envelope: options.idempotencyKey === undefined ? null : { ...NO_ENVELOPE, onceKey: options.idempotencyKey },
    approvalWaitMs: options.approvalWaitMs ?? 0,
  };
};
