/** What a definition alone says about a tool, before any overlay. Hints of a bundle may raise its risk, never lower it. */
import semver from "semver";
import type { Capability } from "../../kernel/capability.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";

const EMITS: readonly string[] = Object.freeze([
  "execution_started",
  "execution_completed",
  "execution_failed",
  "execution_denied",
  "execution_skipped",
  "execution_indeterminate",
]);
const SYNC = Object.freeze(["sync"] as const);
const STREAM = Object.freeze(["sync", "stream"] as const);
const NONE: readonly never[] = Object.freeze([]);

/** Without build metadata or a leading `v`, as it stands in a URI. */
const isVersion = (stated: string): boolean => semver.valid(stated) === stated;

const riskOf = (tool: ListedTool | null): RiskTier => {
  const annotations = tool?.value["annotations"] as { destructiveHint?: unknown } | null | undefined;
  const hinted = annotations?.destructiveHint === true ? "high" : "medium";
  const floor = tool?.riskFloor ?? hinted;
  return RISK_TIERS.indexOf(floor) > RISK_TIERS.indexOf(hinted) ? floor : hinted;
};

export const deriveCapability = (provider: Provider, tool: ListedTool | null, flatName: string): Capability => {
  const id = capabilityId(flatName);
  const stated = provider.status().version ?? "";
  const version = isVersion(stated) ? stated : "0.0.0";
  const description = tool?.value["description"];
  return {
    id,
    version,
    uri: `${id}:${version}`,
    description: typeof description === "string" ? description : "",
    status: "experimental",
    modes: tool?.streams ? STREAM : SYNC,
    emits: EMITS,
    risk: riskOf(tool),
    authRequired: false,
    approvalRequired: false,
    allowedActors: NONE,
    requiredPermissions: NONE,
    classification: null,
    autonomy: null,
    invariants: NONE,
    approval: null,
    sunset: null,
    disabled: null,
    strictOutput: false,
    timeoutMs: null,
  };
};
