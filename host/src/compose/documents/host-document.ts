/** `capabilities://host`: what the host declares, allows and keeps, as this reader may know it. Pure. */
import type { RiskTier } from "../../kernel/risk-tier.ts";
import type { LifecycleState } from "../../kernel/stages.ts";

export interface HostFacts {
  readonly host: {
    readonly id: string;
    readonly version: string;
    readonly kind: string;
    readonly protocolVersion: string;
    readonly assurance: string;
    /** Null: it signs nothing. */
    readonly keyId: string | null;
  };
  readonly declaredCapabilities: readonly string[];
  /** Name to what is said of it. */
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly roots: readonly { readonly name: string | null; readonly usable: boolean }[];
  /** One of each tool that the reader sees. */
  readonly states: Iterable<LifecycleState>;
  /** `maxRiskTier` null: no bound. */
  readonly policy: { readonly version: string; readonly digest: string; readonly maxRiskTier: RiskTier | null };
  readonly evidence: {
    readonly store: string;
    readonly durability: string;
    /** Only for readers with the permission `evidence:read`; null: not for this one. */
    readonly position: number | null;
  };
  /** Where the manifest is; null: the host has no door for it. */
  readonly manifest: string | null;
  /** Where the host is reached: `mcp`, `rest`, `chp`, `stdio`. */
  readonly doors: readonly string[];
}

export const hostDocument = (facts: HostFacts): object => {
  const { host, policy, evidence } = facts;
  return {
    host: {
      id: host.id,
      version: host.version,
      kind: host.kind,
      protocol_version: host.protocolVersion,
      assurance: host.assurance,
      ...(host.keyId === null ? {} : { key_id: host.keyId }),
    },
    declared_capabilities: facts.declaredCapabilities,
    extensions: facts.extensions,
    // A path is nobody's business here.
    roots: facts.roots.map(({ name, usable }) => ({ name, usable })),
    lifecycle: countStates(facts.states),
    policy: { version: policy.version, digest: policy.digest, max_risk_tier: policy.maxRiskTier },
    evidence: {
      store: evidence.store,
      append_only: true,
      durability: evidence.durability,
      ...(evidence.position === null ? {} : { position: evidence.position }),
    },
    doors: facts.doors,
    ...(facts.manifest === null ? {} : { manifest: facts.manifest }),
  };
};

/** In the order of a tool's life; states that no tool is in are left out. */
const STATES: readonly LifecycleState[] = [
  "declared",
  "discoverable",
  "hosted",
  "invokable",
  "deprecated",
  "suspended",
  "unavailable",
  "disabled",
];

const countStates = (states: Iterable<LifecycleState>): Readonly<Record<string, number>> => {
  const counts = new Map<LifecycleState, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.fromEntries(STATES.map((state) => [state, counts.get(state) ?? 0] as const).filter(([, n]) => n > 0));
};
