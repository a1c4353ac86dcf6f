/** Calls, tools and policies for the tests of this room. */
import type { Capability } from "../../kernel/capability.ts";
import type { HostState } from "../../kernel/evidence.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Equipped, Permitted } from "../../kernel/stages.ts";
import type { PolicyConfig } from "./overlays.ts";
import { createPolicy } from "./policy.ts";
import { createPolicyBook, type PolicyBook, type PolicyBookOptions } from "./policy-book.ts";
import type { PolicyParts } from "./policy-view.ts";
import { WindowCounts } from "./window-counts.ts";

export const configOf = (policy: object = {}): PolicyConfig => ({
  mode: "enforce",
  shipped: true,
  rules: [],
  guardrails: [],
  capabilities: {},
  classifications: ["public", "internal", "confidential", "restricted"],
  ...policy,
});

export const principalOf = (more: Partial<Principal> = {}): Principal => ({
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "key_ann",
  ...more,
});

export const AGENT = principalOf({
  id: "agent:planner",
  kind: "agent",
  onBehalfOf: "person:ann",
  credentialId: "key_p",
});

export const toolOf = (value: Readonly<Record<string, unknown>> = {}, more: Partial<ListedTool> = {}): ListedTool => ({
  name: "refund",
  definition: "sha256:0",
  json: rawJson("{}"),
  value: { name: "refund", ...value },
  ...more,
});

export const providerOf = (name = "billing", version: string | null = "1.2.3"): Provider =>
  ({ name, status: () => ({ state: "running", version, since: 0, reason: null, next: null }) }) as unknown as Provider;

export interface CallFacts extends Partial<Omit<Equipped, "target">> {
  readonly tool?: ListedTool | null;
  readonly flatName?: string;
  readonly uri?: string;
}

export interface Bench {
  readonly book: PolicyBook;
  readonly counts: WindowCounts;
  readonly callOf: (facts?: CallFacts) => Equipped;
  readonly run: (facts?: CallFacts) => Permitted;
  readonly capability: (tool?: ListedTool, flatName?: string) => Capability;
}

export interface BenchOptions extends Partial<Omit<PolicyBookOptions, "host">>, Partial<PolicyParts> {
  readonly kept?: ReturnType<HostState["entries"]>;
  readonly now?: () => number;
}

const PROVIDER = providerOf();
const TOOL = toolOf();

export const openBench = (policy: object = {}, options: BenchOptions = {}): Bench => {
  const book = createPolicyBook({ ...options, host: configOf(policy) });
  const counts = options.counts ?? new WindowCounts(options.kept ?? [], options.now);
  const stage = createPolicy({ permissionsBehind: () => ["*"], ...options, counts, book });
  const callOf = ({ tool = TOOL, flatName = "billing__refund", uri, ...facts }: CallFacts = {}): Equipped => {
    const principal = facts.principal ?? principalOf();
    const capability = book.capabilityOf(principal.workspace, { provider: PROVIDER, tool, flatName });
    const target = { provider: PROVIDER, tool, flatName, capability, name: uri ?? "refund", surface: "s" };
    const base = { door: "mcp", operation: "call", args: {}, envelope: null, continues: null, name: flatName };
    return { ...base, ...facts, principal, target } as unknown as Equipped;
  };
  return {
    book,
    counts,
    callOf,
    run: (facts) => stage(callOf(facts)),
    capability: (tool = TOOL, flatName = "billing__refund") =>
      book.capabilityOf("ws_default", { provider: PROVIDER, tool, flatName }),
  };
};

export const refusalOf = (run: () => unknown): Refusal => {
  try {
    run();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("was not refused");
};

/** How a call ends here: the kind of its refusal, `wait` for an approval, or `run`. */
export const endOf = (bench: Bench, facts?: CallFacts): string => {
  try {
    return bench.run(facts).verdict.demand === null ? "run" : "wait";
  } catch (no) {
    if (no instanceof Refusal) return no.kind;
    throw no;
  }
};
