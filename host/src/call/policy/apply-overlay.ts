/**
 * A capability with one more overlay on it. Every overlay narrows what those before it left open: the host's file and a
 * workspace's may both say something about one tool, and neither loosens the other. Only the risk that a definition
 * suggests may be lowered, by the host's own file and for a definition that is pinned, and never below its floor.
 */
import { addDemands } from "../../kernel/add-demands.ts";
import type { Autonomy, Capability, Invariant } from "../../kernel/capability.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import { plainId } from "../../kernel/is-allowed-actor.ts";
import type { Overlay } from "./overlay.ts";
import { readDemand } from "./read-demand.ts";

export interface ApplyOptions {
  /** What it is called outside; null: it keeps its own id. */
  readonly id: string | null;
  readonly mayLowerRisk: boolean;
  /** No overlay goes below it; null: there is none. */
  readonly riskFloor: RiskTier | null;
  /** From the least to the most confidential. */
  readonly classifications: readonly string[];
}

/** Two lists without a common actor leave nobody; an empty list would leave everybody. */
const NOBODY = "nobody:";

const higherRisk = (a: RiskTier, b: RiskTier): RiskTier => (RISK_TIERS.indexOf(a) >= RISK_TIERS.indexOf(b) ? a : b);

export const applyOverlay = (base: Capability, overlay: Overlay, options: ApplyOptions): Capability => {
  const id = options.id ?? base.id;
  const version = overlay.version ?? base.version;
  return {
    id,
    version,
    uri: `${id}:${version}`,
    description: overlay.description ?? base.description,
    status: base.status === "deprecated" ? base.status : (overlay.status ?? base.status),
    modes: base.modes,
    emits: overlay.emits ?? base.emits,
    risk: riskOf(base.risk, overlay, options),
    authRequired: base.authRequired || overlay.auth_required === true,
    approvalRequired: base.approvalRequired || overlay.approval_required === true,
    allowedActors: actorsOf(base.allowedActors, overlay.allowed_actors),
    requiredPermissions: [...new Set([...base.requiredPermissions, ...(overlay.required_permissions ?? [])])],
    classification: classOf(base.classification, overlay.data_classification ?? null, options.classifications),
    autonomy: autonomyOf(base.autonomy, overlay.autonomy),
    invariants: [...base.invariants, ...(overlay.invariants ?? []).map(invariantOf)],
    approval: approvalOf(base.approval, overlay.approval),
    sunset: least(base.sunset, overlay.sunset === undefined ? null : Date.parse(overlay.sunset)),
    disabled:
      base.disabled ?? (overlay.enabled === false ? (overlay.reason ?? "It is disabled by configuration.") : null),
    strictOutput: base.strictOutput || overlay.strict_output === true,
    timeoutMs: least(base.timeoutMs, overlay.timeout_s === undefined ? null : overlay.timeout_s * 1_000),
  };
};

const least = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));

const riskOf = (base: RiskTier, { risk, risk_tier: tier }: Overlay, options: ApplyOptions): RiskTier => {
  if (risk === undefined && tier === undefined) return base;
  const said = higherRisk(risk ?? "low", tier ?? "low");
  return higherRisk(options.mayLowerRisk ? (options.riskFloor ?? "low") : base, said);
};

const actorsOf = (base: readonly string[], written: readonly string[] | undefined): readonly string[] => {
  if (written === undefined || written.length === 0) return base;
  const said = written.map(plainId);
  if (base.length === 0) return said;
  const both = base.filter((actor) => said.includes(actor));
  return both.length === 0 ? [NOBODY] : both;
};

/** An unknown label is kept: nobody reaches it. */
const classOf = (base: string | null, said: string | null, order: readonly string[]): string | null => {
  if (base === null || said === null) return base ?? said;
  if (!order.includes(base)) return base;
  return !order.includes(said) || order.indexOf(said) > order.indexOf(base) ? said : base;
};

const TIERS: readonly (string | null)[] = [null, "automated", "supervised", "human_driven", "approval_required"];

const autonomyOf = (base: Autonomy | null, said: Overlay["autonomy"]): Autonomy | null => {
  if (said === undefined) return base;
  const tier = TIERS[Math.max(TIERS.indexOf(base?.tier ?? null), TIERS.indexOf(said.tier ?? null))] ?? null;
  const units = Math.max(Number(base?.spendUnits ?? 0), said.spend_units ?? (base === null ? 1 : 0));
  return {
    tier,
    actionLimit: least(base?.actionLimit ?? null, said.action_limit ?? null),
    spendLimit: least(base?.spendLimit ?? null, said.spend_limit ?? null),
    spendUnits: String(units),
  };
};

const invariantOf = (written: NonNullable<Overlay["invariants"]>[number]): Invariant => ({
  id: written.id,
  kind: written.kind,
  enforcement: written.enforcement ?? "declarative",
  failure_behavior: written.failure_behavior ?? "deny",
  parameters: written.parameters ?? {},
});

const approvalOf = (base: Capability["approval"], said: Overlay["approval"]): Capability["approval"] => {
  const read = said === undefined ? null : readDemand(said, "approval_required");
  return read !== null && "demand" in read ? addDemands(base, read.demand) : base;
};
