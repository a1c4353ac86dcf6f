/**
 * A "no" that a door says itself, before or beside the call path: the refusal, the JSON-RPC number and the HTTP status.
 */
import { Refusal, type RefusalOptions } from "../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../kernel/refusals.ts";

export interface DoorRefusal {
  readonly refusal: Refusal;
  readonly code: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Members that the protocol wants at the top of the error's data. */
  readonly data: Readonly<Record<string, unknown>> | null;
}

export interface DoorRefusalOptions extends RefusalOptions {
  readonly code?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

const DEFAULT_CODE = -32600;

/** One that was thrown elsewhere. */
export const asDoorRefusal = (refusal: Refusal): DoorRefusal => ({
  refusal,
  code: DEFAULT_CODE,
  status: refusal.row.rest,
  headers: null,
  data: null,
});

export const doorRefusal = (kind: RefusalKind, options: DoorRefusalOptions): DoorRefusal => ({
  refusal: new Refusal(kind, options),
  code: options.code ?? DEFAULT_CODE,
  status: options.status ?? REFUSALS[kind].rest,
  headers: options.headers ?? null,
  data: options.data ?? null,
});
