/** What the evidence log and its worker say to each other. A batch is sent as the bare text of its drafts. */
import type { EventOrigin } from "./compose-event.ts";

export interface WorkerOptions extends EventOrigin {
  readonly dir: string;
  /** Invocations of an earlier run that stay open. */
  readonly keepOpen: readonly string[];
}

export type ToWorker = string | { readonly ask: "probe" | "close" };

export type FromWorker =
  | {
      readonly kind: "opened";
      readonly recovered: number;
      readonly kept: readonly string[];
      readonly lastSequence: number;
    }
  | { readonly kind: "refused"; readonly reason: string }
  /** One commit; it may hold several batches, in the order in which they were sent. All ids are of one length. */
  | { readonly kind: "written"; readonly first: number; readonly eventIds: string }
  /** So many batches could not be written: each is told of in exactly one `written` or `failed`, in order. */
  | { readonly kind: "failed"; readonly batches: number; readonly reason: string }
  | { readonly kind: "probed"; readonly reason: string | null }
  /** Under `batched`: events that were acknowledged are lost. */
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "closed"; readonly reason: string | null };
