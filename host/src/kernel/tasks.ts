/**
 * Work that goes on after its request was answered. A task belongs to the principal that made it and is known to callers
 * by the host's own id; its call stays open in evidence until the task ends, over restarts of the host too.
 */
import type { Answer, RawCall } from "./call.ts";
import type { Declared } from "./ask.ts";
import type { Correlation } from "./evidence.ts";
import type { Presented, Principal } from "./principal.ts";
import type { RawJson, RawMembers } from "./raw-json.ts";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** What a client has to declare for a task to be given to it, in the form of `requiredCapabilities`. */
export const TASKS_REQUIRED = Object.freeze({ extensions: Object.freeze({ [TASKS_EXTENSION]: Object.freeze({}) }) });

export const declaresTasks = ({ value }: Pick<Declared, "value">): boolean => {
  const extensions = value["extensions"] as Readonly<Record<string, unknown>> | null | undefined;
  const tasks = typeof extensions === "object" && extensions !== null ? extensions[TASKS_EXTENSION] : null;
  return typeof tasks === "object" && tasks !== null && !Array.isArray(tasks);
};

/** All that evidence needs to add to a call later, perhaps in another run of the host. */
export interface OpenInvocation {
  readonly id: string;
  readonly correlation: Correlation;
  /** Hex. */
  readonly salt: string;
  readonly capabilityId: string;
  readonly capabilityVersion: string;
  readonly capabilityUri: string;
  /** Canonical text. */
  readonly subject: string;
}

/**
 * A call that waits for a person's decision and then goes on by itself: what has to be said again, once, and how that ended.
 * Its `invocation` is the one that was refused for the time being.
 */
export interface WaitingCall {
  readonly approval: string;
  /** What its caller showed, to be verified anew; nothing once it is over. */
  readonly presented: Presented;
  readonly said: Pick<RawCall, "name" | "provider" | "argsJson" | "extraParams" | "meta" | "traceparent"> | null;
  /** The invocation under which it runs or ran; null: it has not begun. */
  readonly run: string | null;
  /** What its caller is told of it, for people. */
  readonly message: string;
  readonly end: WaitingEnd | null;
}

/** `json` is the result or the error. */
export type WaitingEnd =
  | { readonly status: "completed" | "failed"; readonly json: RawJson }
  | { readonly status: "cancelled" };

/** A task as it is kept. Plain data: what is read back is what was written. */
export interface TaskRecord {
  readonly id: string;
  /** Its server's own id. */
  readonly upstreamId: string;
  readonly provider: string;
  /** The provider's own name of the tool, and the definition that was called. */
  readonly tool: string;
  readonly definition: string;
  readonly flatName: string;
  /** Who made it. */
  readonly principal: Principal;
  /** What the caller declared when the task was made, as JSON text. */
  readonly declared: string;
  /** Arguments of the call as JSON text, for the gates; null when there are none to keep. */
  readonly args: string | null;
  /** There were some, too long to keep. */
  readonly argsLost?: true;
  /** Questions for roots are the host's to answer; absent: the caller's. */
  readonly hostRoots?: true;
  readonly invocation: OpenInvocation;
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly ttlMs: number | null;
  readonly pollMs: number;
  /** Null: its outcome is not recorded yet. */
  readonly endedAt: number | null;
  /** Present: no server knows of it. */
  readonly waits?: WaitingCall;
}

export interface TaskStore {
  /** All that are kept, in the order in which they were made. */
  records(): Iterable<TaskRecord>;
  /** Resolves when it is durable. Replaces what has the same id. */
  save(record: TaskRecord): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Resolves when what was to be written is, or could not be. */
  settled(): Promise<void>;
}

export interface TaskOrder {
  readonly id: string;
  /** The endpoint: one provider's own, or null for all. */
  readonly provider: string | null;
  readonly principal: Principal;
  readonly presented: Presented;
  readonly declared: Declared;
  /** Foreign members of `_meta`. */
  readonly meta: RawMembers;
  readonly signal: AbortSignal;
}

export type WatchedTask = Pick<TaskOrder, "id" | "provider" | "principal" | "declared">;

/** An id that is unknown or somebody else's is refused in the same words. */
export interface Tasks {
  get(order: TaskOrder): Promise<Answer>;
  /** Brings answers to what the task asked; the object of answers as it came. */
  update(order: TaskOrder, responses: RawJson): Promise<Answer>;
  /** Open to whoever made the task, also when it may not call the tool any more. */
  cancel(order: TaskOrder): Promise<Answer>;
  /**
   * Tells the state of a task, as members of an object, whenever it is another one, until the returned function is
   * called; without its questions, where they need more than was declared. Null: there is no such task for this principal.
   */
  watch(task: WatchedTask, changed: (members: RawMembers) => void): (() => void) | null;
}
