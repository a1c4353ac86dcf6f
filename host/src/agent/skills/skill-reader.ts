/** Who reads a skill of a server, and in the course of what: the read is on the one call path as theirs, and looked at anew. */
import type { Door, Presented, Principal } from "../../kernel/principal.ts";

export interface SkillReader {
  readonly principal: Principal;
  /** What its door was shown. */
  readonly presented: Presented;
  readonly door: Door;
  /** The call that it is a part of; null: a message that has no run yet. */
  readonly within: SkillReading | null;
}

export interface SkillReading {
  readonly correlationId: string;
  readonly invocationId: string;
  /** Null: it is nobody's run. */
  readonly run: { readonly runId: string; readonly conversationId: string | null } | null;
  readonly signal: AbortSignal;
}
