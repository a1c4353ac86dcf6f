/** How much harm a call could do, lowest first. */
export type RiskTier = "low" | "medium" | "high" | "critical";

export const RISK_TIERS: readonly RiskTier[] = ["low", "medium", "high", "critical"];
