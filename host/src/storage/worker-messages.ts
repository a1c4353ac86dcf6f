/** What the evidence log and its worker say to each other. A batch is sent as the bare array of its fields. */
import type { EventOrigin } from "./compose-event.ts";
import type { DraftFields } from "./draft-fields.ts";

export interface WorkerOptions extends EventOrigin {
  readonly dir: string;
}

export type ToWorker = DraftFields | "probe" | "close";

export type FromWorker =
  | { readonly kind: "opened"; readonly recovered: number; readonly lastSequence: number }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "written"; readonly first: number; readonly eventIds: readonly string[] }
  /** The batch at hand could not be written: each batch gets exactly one `written` or `failed`, in order. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "probed"; readonly reason: string | null }
  /** Under `batched`: events that were acknowledged are lost. */
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "closed"; readonly reason: string | null };
