/** A rule of the policy as it is asked: what of it is about the tool alone, and what is about one call. */
import type { Rooted } from "../../kernel/argument-test.ts";
import type { ApprovalDemand, Capability } from "../../kernel/capability.ts";
import type { Operation } from "../../kernel/call.ts";
import type { Door, Principal } from "../../kernel/principal.ts";
import type { Equipped, Target } from "../../kernel/stages.ts";

export type Effect = "allow" | "deny" | "require_approval" | "limit";
export type Source = "shipped" | "host" | "workspace";

export const PER = ["principal", "credential", "tool", "provider", "workspace", "host"] as const;

export interface RuleLimit {
  /** The same for the same rule after a restart. */
  readonly name: string;
  readonly rule: string;
  /** What is counted apart: each principal, each tool of each principal. */
  readonly per: readonly (typeof PER)[number][];
  readonly calls: number;
  readonly windowMs: number;
}

export type RuledTarget = Pick<Target, "flatName" | "tool"> & { readonly capability: Pick<Capability, "risk"> };
/** A call, or what a bundle asks the host for. */
export interface RuledCall extends Pick<Equipped, "args"> {
  readonly principal: Pick<Principal, "id" | "subject" | "chain">;
  /** Null: it came through none. */
  readonly door: Door | null;
  readonly operation: Operation | "host-resources";
  readonly target: RuledTarget & Pick<Target, "name">;
}

export interface Rule {
  readonly id: string;
  readonly source: Source;
  /** An unreadable rule denies. */
  readonly effect: Effect;
  /** Whether it can be about this tool at all. */
  readonly fits: (target: RuledTarget) => boolean;
  /** Whether it is about this call of a tool that it fits; null: about all of them. */
  readonly holds: ((call: RuledCall, where: Rooted | null) => boolean) | null;
  readonly demand: ApprovalDemand | null;
  readonly limit: RuleLimit | null;
  readonly reason: string | null;
  readonly next: string | null;
  /** Why it cannot be read. */
  readonly unreadable: string | null;
  readonly written: Readonly<Record<string, unknown>>;
}
