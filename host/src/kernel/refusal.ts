/**
 * An expected "no", thrown by a stage and shaped outward in one place. Its texts reach people and models: no secrets, no stack.
 */
import { REFUSALS, type RefusalKind, type RefusalRow } from "./refusals.ts";

export interface RefusalOptions {
  /** One sentence: what was refused and why. */
  readonly message: string;
  /** The exact next step. */
  readonly next: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  /** Overrides the table where it says "if …" (a time-out is retryable only if the tool is idempotent). */
  readonly retryable?: boolean;
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;
  readonly next: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | null;
  readonly retryable: boolean;

  constructor(kind: RefusalKind, options: RefusalOptions) {
    super(options.message);
    this.kind = kind;
    this.next = options.next;
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.retryable = options.retryable ?? REFUSALS[kind].retryable;
  }

  get row(): RefusalRow {
    return REFUSALS[this.kind];
  }
}
