/** Whether the rules let a bundle have one of the host's own resources. Limits are the host's own there. */
import type { Refusal } from "../../kernel/refusal.ts";
import { evaluateRules, type RuleDecision } from "./evaluate-rules.ts";
import type { PolicyBook } from "./policy-book.ts";
import { denyByRule } from "./policy-refusals.ts";
import type { RuledCall } from "./rule.ts";

export interface HostResourceAsk {
  readonly workspace: string;
  /** The provider's name. */
  readonly bundle: string;
  /** Empty for a list of them. */
  readonly uri: string;
}

export interface HostResourceVerdict {
  /** Null: it may have it. */
  readonly refusal: Refusal | null;
  /** What would be the refusal but for audit mode; to be recorded. */
  readonly suspended: Refusal | null;
}

const FLAT_NAME = "host:resources";

export const judgeHostResources = (
  book: Pick<PolicyBook, "of">,
  { workspace, bundle, uri }: HostResourceAsk,
): HostResourceVerdict => {
  const { rules, version, mode } = book.of(workspace);
  const target = { flatName: FLAT_NAME, name: uri, tool: null, capability: { risk: "medium" } } as const;
  const fitting = rules.filter((rule) => rule.fits(target));
  const judge = (id: string): RuleDecision => {
    const ask: RuledCall = { principal: { id }, door: null, operation: "host-resources", args: {}, target };
    return evaluateRules(fitting, ask, null);
  };
  // A rule may name it with its workspace, as evidence does, or without.
  const [whole, short] = [judge(`bundle:${workspace}/${bundle}`), judge(`bundle:${bundle}`)];
  const denied = whole.denied ?? short.denied;
  const demand = whole.demand ?? short.demand;
  const allowed = whole.allowed || short.allowed;
  const about = { tool: FLAT_NAME, version };
  const no = denied === null && allowed ? null : denyByRule(about, denied);
  if (no !== null && mode === "enforce") return { refusal: no, suspended: null };
  if (demand === null) return { refusal: null, suspended: no };
  // Nobody can be asked while a server waits: what needs an approval is not given.
  return { refusal: denyByRule(about, fitting.find(({ id }) => id === demand.rule) ?? null), suspended: no };
};
