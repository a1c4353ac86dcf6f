/**
 * Has contents generated that an artifact lacks, several at a time, each as a governed call of its own. After a required one
 * failed nothing more is begun.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../configs/read-context.ts";
import type { CalledOn, ComposeCall, Workbench } from "../workbench.ts";

/** A crowd of others may hold the places; it is asked again so often. */
const MAX_TRIES = 5;
const MAX_WAIT_MS = 10_000;

export interface Wanted {
  readonly content_id: string;
  readonly required: boolean;
}

export interface Cause {
  readonly content_id: string;
  readonly code: string;
  readonly message: string;
  readonly next?: string;
}

export interface Made {
  /** Content to the version that was made, or that the same request had made before. */
  readonly versions: ReadonlyMap<string, string>;
  readonly failed: readonly Cause[];
}

export interface Making {
  readonly wanted: readonly Wanted[];
  readonly context: Context;
  readonly call: ComposeCall;
}

export const makeMissing = async (
  bench: Pick<Workbench, "callOn" | "limits">,
  { wanted, context, call }: Making,
): Promise<Made> => {
  // What the artifact cannot do without comes first: if that fails, the rest was not made for nothing.
  const waiting = wanted.toSorted((a, b) => Number(b.required) - Number(a.required));
  const versions = new Map<string, string>();
  const failed: Cause[] = [];
  let isHopeless = false;
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !isHopeless; next = waiting.shift()) {
      call.signal.throwIfAborted();
      const { content_id: id, required } = next;
      const made = await generate(bench.callOn, { id, context, call });
      if (made.ok) versions.set(id, versionOf(made.value));
      else {
        failed.push({ content_id: id, ...causeOf(made) });
        isHopeless ||= required;
      }
    }
  };
  const workers = Math.min(wanted.length, bench.limits().max_concurrent_generations);
  const ends = await Promise.allSettled(Array.from({ length: workers }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return { versions, failed };
};

interface Request {
  readonly id: string;
  readonly context: Context;
  readonly call: ComposeCall;
}

const generate = async (callOn: Workbench["callOn"], { id, context, call }: Request): Promise<CalledOn> => {
  const given = Object.keys(context).length === 0 ? {} : { context };
  for (let tries = 1; ; tries++) {
    const args = { content_config_id: id, ...given };
    const made = await callOn({ tool: "generate_content", args, call });
    const wait = made.ok || made.code !== "queue_full" ? null : made.details["retry_after_ms"];
    if (typeof wait !== "number" || tries === MAX_TRIES) return made;
    await sleep(Math.min(wait, MAX_WAIT_MS), undefined, { signal: call.signal });
  }
};

const versionOf = ({ metadata }: Readonly<Record<string, unknown>>): string => {
  const { version_id: id } = (metadata ?? {}) as { version_id?: unknown };
  return typeof id === "string" ? id : "";
};

const causeOf = ({ code, message, details }: CalledOn & { readonly ok: false }): Omit<Cause, "content_id"> => {
  const { next } = details;
  return { code, message, ...(typeof next === "string" ? { next } : {}) };
};
