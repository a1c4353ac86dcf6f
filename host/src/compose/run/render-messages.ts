/** What the renderer and its threads say to each other. */
import type { MergedParts, PartsMerge } from "../assemble/merge-parts.ts";
import type { Changes } from "../assemble/tell-changes.ts";
import type { ComposeCode } from "../compose-error.ts";
import type { Context } from "../configs/read-context.ts";

export interface RenderJob {
  readonly kind: "begin";
  readonly text: string;
  readonly context: Context;
  readonly fuel: number;
  readonly maxBytes: number;
}

/** The answer to `wanted`: the job begins anew with it. A large context is sent once. Text null: there is no such template. */
export interface RenderPart {
  readonly kind: "given";
  readonly name: string;
  readonly text: string | null;
}

export interface MergeJob extends PartsMerge {
  readonly kind: "merge";
}

export interface DiffJob {
  readonly kind: "diff";
  readonly before: string;
  readonly after: string;
}

export type RenderAsk = RenderJob | RenderPart | MergeJob | DiffJob;

export type RenderReply =
  /** It has loaded its code and takes a job. */
  | { readonly kind: "ready" }
  | { readonly kind: "text"; readonly text: string }
  /** It includes this one, which was not given yet. */
  | { readonly kind: "wanted"; readonly name: string }
  | { readonly kind: "failed"; readonly message: string }
  /** In bytes; `isLeast`: it was stopped there, and would have become larger. */
  | { readonly kind: "large"; readonly size: number; readonly isLeast: boolean }
  | { readonly kind: "merged"; readonly merged: MergedParts }
  | { readonly kind: "compared"; readonly changes: Changes }
  /** Of a merge: a ComposeError. */
  | {
      readonly kind: "refused";
      readonly code: ComposeCode;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    }
  /** A bug. */
  | { readonly kind: "broken"; readonly reason: string };
