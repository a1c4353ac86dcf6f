/** What the evidence log and its worker say to each other. A batch without such texts is sent as the bare text of its drafts. */
import type { KeyObject } from "node:crypto";
import type { SigningMaterial } from "./checkpoint-table.ts";
import type { EventOrigin } from "./compose-event.ts";
import type { PurgeOrder, RetentionSlice } from "./retention.ts";

export interface WorkerOptions extends EventOrigin {
  readonly dir: string;
  /** Invocations of an earlier run that stay open. */
  readonly keepOpen: readonly string[];
  readonly signing: SigningMaterial | null;
  readonly redactPatterns: readonly string[];
  /** What replies are sealed with; null: the log is in memory. */
  readonly replyKey: KeyObject | null;
}

export interface Drafts {
  readonly drafts: string;
  /** Of large replies and retained payloads, in the order of the drafts, each with a line end. */
  readonly texts: string;
}

/** What gets an answer of its own. */
export type Question =
  | { readonly ask: "checkpoint" }
  | { readonly ask: "sign-with"; readonly signing: SigningMaterial }
  | { readonly ask: "purge"; readonly order: PurgeOrder }
  | { readonly ask: "retain"; readonly slice: RetentionSlice }
  | { readonly ask: "withhold"; readonly sequence: number };

export type ToWorker =
  | string
  | Drafts
  | { readonly ask: "probe" | "close" }
  | { readonly ask: "question"; readonly id: number; readonly question: Question };

export type FromWorker =
  | {
      readonly kind: "opened";
      readonly recovered: number;
      readonly kept: readonly string[];
      readonly lastSequence: number;
      /** Space, key and value in turn. */
      readonly state: readonly string[];
    }
  | { readonly kind: "refused"; readonly reason: string }
  /** One commit; it may hold several batches, in the order in which they were sent. All ids are of one length. */
  | { readonly kind: "written"; readonly first: number; readonly eventIds: string }
  /** So many batches could not be written: each is told of in exactly one `written` or `failed`, in order. */
  | { readonly kind: "failed"; readonly batches: number; readonly reason: string }
  | { readonly kind: "probed"; readonly reason: string | null }
  /** Under `batched`: events that were acknowledged are lost. Else: a checkpoint could not be written. */
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "answered"; readonly id: number; readonly value: unknown }
  | { readonly kind: "unanswered"; readonly id: number; readonly reason: string }
  | { readonly kind: "closed"; readonly reason: string | null };
