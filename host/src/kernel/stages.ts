/**
 * One call as it passes the stages. Each stage takes the type of the stage before and adds one fact, in place, so that a
 * call that was not cleared does not compile at `send`.
 */
import type { Admission } from "./admission.ts";
import type { Ending, RawCall } from "./call.ts";
import type { ApprovalDemand, Capability } from "./capability.ts";
import type { Correlation, BegunEvents, Outcome } from "./evidence.ts";
import type { Principal } from "./principal.ts";
import type { ListedTool, Provider } from "./provider.ts";
import type { RawJson } from "./raw-json.ts";
import type { RootList } from "./roots.ts";

/** Stage 2. */
export interface Identified extends RawCall {
  readonly principal: Principal;
}

/** What the call is for, taken from the very sheet that was listed. */
export interface Target {
  readonly provider: Provider;
  /** The provider's own name of the tool or prompt, or the URI. */
  readonly name: string;
  /** Flat name of a tool or prompt; for a read `provider:resources`. */
  readonly flatName: string;
  /** Null for reads, prompts and completions. */
  readonly tool: ListedTool | null;
  readonly surface: string;
  readonly capability: Capability;
}

/** What a call that goes on later has to find again: whose tool it is, and in which definition. */
export const targetKey = ({ provider, tool }: Target): string => `${provider.name} ${tool?.definition ?? "-"}`;

/** Stage 3. */
export interface Surfaced extends Identified {
  readonly target: Target;
}

export type LifecycleState =
  | "declared"
  | "invokable"
  | "hosted"
  | "discoverable"
  | "deprecated"
  | "suspended"
  | "disabled"
  | "unavailable";

export interface Lifecycle {
  readonly state: LifecycleState;
  readonly reason: string | null;
  readonly next: string | null;
  readonly retryAfterMs: number | null;
}

/** Stage 4. */
export interface Live extends Surfaced {
  readonly lifecycle: Lifecycle;
}

/** Stage 5: what the tool requires, all of it declared. */
export interface Equipped extends Live {
  readonly required: readonly string[];
}

export interface Verdict {
  /** Of the rule that decided. */
  readonly rule: string;
  readonly policyVersion: string;
  /** All demands for an approval, added up; null: policy has none. */
  readonly demand: ApprovalDemand | null;
  /** Limits and mandates that the call counts against. */
  readonly admissions: readonly Admission[];
  /** Whom the call is attributed to beside its principal, as members of `subject`; null: nobody. */
  readonly mandate: Readonly<Record<string, unknown>> | null;
}

/** Stage 6. */
export interface Permitted extends Equipped {
  readonly verdict: Verdict;
}

/** Stage 7: the canonical text of the arguments that were found valid. */
export interface Valid extends Permitted {
  readonly canonicalArgs: string;
  /** For a tool that works on files: where it may; null: it does not. */
  readonly roots: RootList | null;
  /** The arguments as they are sent, paths resolved; null: as they came. */
  readonly resolvedArgs: RawJson | null;
  /** Guardrails that looked at it and let it pass. */
  readonly guardrails: readonly string[];
}

/** Stage 8: the approval that this exact call holds; null when none is demanded. */
export interface Approved extends Valid {
  readonly approval: {
    readonly id: string;
    readonly digest: string;
    /** Of the demand that it meets. */
    readonly rule: string;
    readonly admission: Admission;
  } | null;
}

export interface Invocation {
  readonly id: string;
  readonly correlation: Correlation;
  readonly salt: Buffer;
  /** Its events so far, in order. */
  readonly evidenceIds: string[];
  /** Those that its intent was written with, the last of them; absent: it began in an earlier run. */
  begun?: BegunEvents;
  /** When its intent was to be written, ms since the epoch. */
  readonly startedAt: number;
}

/** Stage 9: the intent is durable. */
export interface Opened extends Approved {
  readonly invocation: Invocation;
}

/** Stage 10. */
export interface Sent extends Opened {
  readonly ending: Ending;
  readonly durationMs: number;
}

/** Stage 11: the outcome is durable, or the ending says that it is not. */
export interface Closed extends Sent {
  /** Null: the call goes on when its caller comes back. */
  readonly outcome: Outcome | null;
  readonly evidenceId: string | null;
  readonly completedAt: number;
}

/** A call that may have stopped anywhere. */
export type Stopped = RawCall & Partial<Omit<Closed, keyof RawCall>>;

/** Adds a fact to a call. In place: a copy per stage would cost more than all the checks. */
export const advance = <Call extends RawCall, Fact extends object>(call: Call, fact: Fact): Call & Fact =>
  Object.assign(call, fact);
