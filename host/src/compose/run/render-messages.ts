/** What the renderer and its threads say to each other. */
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

export type RenderAsk = RenderJob | RenderPart;

export type RenderReply =
  /** It has loaded its code and takes a job. */
  | { readonly kind: "ready" }
  | { readonly kind: "text"; readonly text: string }
  /** It includes this one, which was not given yet. */
  | { readonly kind: "wanted"; readonly name: string }
  | { readonly kind: "failed"; readonly message: string }
  /** In bytes; `isLeast`: it was stopped there, and would have become larger. */
  | { readonly kind: "large"; readonly size: number; readonly isLeast: boolean }
  /** A bug. */
  | { readonly kind: "broken"; readonly reason: string };
