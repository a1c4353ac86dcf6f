/** One call as the checks of policy look at it: each question that several of them need is answered once. */
import type { Rooted } from "../../kernel/argument-test.ts";
import type { UnderLists } from "../../kernel/is-under.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { rootListsOf } from "../../kernel/roots-of-call.ts";
import type { Equipped } from "../../kernel/stages.ts";
import type { Policy, Prepared } from "./compile-policy.ts";
import { evaluateRules, type RuleDecision } from "./evaluate-rules.ts";
import type { HostDecision } from "./host-policy.ts";
import type { Mandated, Mandates } from "./mandate/mandates.ts";
import type { WindowCounts } from "./window-counts.ts";

export interface PolicyParts {
  readonly counts: WindowCounts;
  /** Default: no call comes with a mandate that counts. */
  readonly mandates?: Mandates;
  /** Permissions of whom a principal acts for. */
  readonly permissionsBehind: (call: Equipped) => readonly string[];
}

export class PolicyView implements Rooted {
  readonly call: Equipped;
  readonly policy: Policy;
  readonly prepared: Prepared;
  readonly parts: PolicyParts;
  #decision: RuleDecision | null = null;
  #roots: UnderLists | null = null;
  #patterns: HostDecision | null | undefined;
  #mandated: Mandated | Refusal | null | undefined;

  constructor(call: Equipped, policy: Policy, parts: PolicyParts) {
    this.call = call;
    this.policy = policy;
    this.parts = parts;
    this.prepared = policy.prepare(call.target);
  }

  get decision(): RuleDecision {
    return (this.#decision ??= evaluateRules(this.prepared.rules, this.call, this));
  }

  roots(): UnderLists | null {
    const { rootsOf } = this.policy;
    return (this.#roots ??= rootsOf && rootListsOf(rootsOf, this.call));
  }

  /** Of the first host policy that has something to say. */
  get patterns(): HostDecision | null {
    if (this.#patterns !== undefined) return this.#patterns;
    return (this.#patterns = this.#judgePatterns());
  }

  #judgePatterns(): HostDecision | null {
    let demanded: HostDecision | null = null;
    for (const host of this.policy.hosts) {
      const found = host.judgePatterns(this.prepared.ids, this.call.args);
      if (found === null || found.decision === "allow") continue;
      if (found.decision !== "requires_approval") return found;
      demanded ??= found;
    }
    return demanded;
  }

  get mandated(): Mandated | Refusal | null {
    if (this.#mandated !== undefined) return this.#mandated;
    return (this.#mandated = this.#askMandates());
  }

  #askMandates(): Mandated | Refusal | null {
    try {
      return this.parts.mandates?.(this.call) ?? this.#unread();
    } catch (no) {
      if (no instanceof Refusal) return no;
      throw no;
    }
  }

  /** A mandate that nobody reads narrows nothing, so the call does not run under it. */
  #unread(): Refusal | null {
    if (this.parts.mandates !== undefined || (this.call.envelope?.mandate ?? null) === null) return null;
    return new Refusal("mandate_invalid", {
      message: "This host does not take mandates.",
      next: "Repeat the call without the mandate.",
      details: { checks: {} },
    });
  }

  /** It began already, or goes on with one that did: it counted then. */
  get counted(): boolean {
    return this.call.continues !== null || "invocation" in this.call;
  }
}
