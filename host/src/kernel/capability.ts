/**
 * How the host describes a tool to the outside and governs it: derived from its definition, then overlaid by
 * `policy.capabilities`. Listing, gates, manifest and evidence read the same object.
 */
import type { ListedTool, Provider } from "./provider.ts";
import type { RiskTier } from "./risk-tier.ts";

/** What an approval has to be like. Several demands of one call add up. */
export interface ApprovalDemand {
  /** The rules that ask for it, joined by `+`. */
  readonly rule: string;
  /** `role:…`, `person:…`, `key:…`; null: persons with permission `approvals:decide`. Each list must contain the decider. */
  readonly approvers: readonly (readonly string[])[] | null;
  readonly count: number;
  readonly fourEyes: boolean;
  readonly ttlS: number;
}

export interface Invariant {
  readonly id: string;
  readonly kind: string;
  readonly enforcement: string;
  readonly failure_behavior: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Autonomy {
  readonly tier: string | null;
  /** Calls of one correlation. */
  readonly actionLimit: number | null;
  readonly spendLimit: number | null;
  readonly spendUnits: string | null;
}

export interface Capability {
  /** Outward: the overlay's alias, else the flat name with odd characters escaped. */
  readonly id: string;
  readonly version: string;
  /** `id:version`. */
  readonly uri: string;
  readonly description: string;
  readonly status: "draft" | "experimental" | "certified" | "deprecated";
  readonly modes: readonly ("sync" | "stream")[];
  readonly emits: readonly string[];
  /** The effective one: the highest of all that is said about it. */
  readonly risk: RiskTier;
  readonly authRequired: boolean;
  readonly approvalRequired: boolean;
  /** Empty: open. Written `kind:name`. */
  readonly allowedActors: readonly string[];
  readonly requiredPermissions: readonly string[];
  readonly classification: string | null;
  readonly autonomy: Autonomy | null;
  readonly invariants: readonly Invariant[];
  /** The form that `approval_required` takes; null: the default one. */
  readonly approval: ApprovalDemand | null;
  /** Ms since the epoch after which a deprecated tool is disabled; null: never. */
  readonly sunset: number | null;
  /** Why nobody may call it; null: it is not disabled. */
  readonly disabled: string | null;
  readonly strictOutput: boolean;
  readonly timeoutMs: number | null;
}

/** `tool` null: a read, a prompt or a completion of this flat name. The same object while nothing changed. */
export type CapabilityOf = (
  workspace: string,
  what: { readonly provider: Provider; readonly tool: ListedTool | null; readonly flatName: string },
) => Capability;
