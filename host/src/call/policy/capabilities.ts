/** The capability of each tool under one policy, made once and the same while the definition and its version are. */
import type { Capability } from "../../kernel/capability.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import { applyOverlay } from "./apply-overlay.ts";
import { deriveCapability } from "./derive-capability.ts";
import type { Overlays } from "./overlays.ts";

export interface CapabilitiesOptions {
  readonly overlays: Overlays;
  readonly classifications: readonly string[];
}

type CapabilityOf = (provider: Provider, tool: ListedTool | null, flatName: string) => Capability;

interface Known {
  readonly flatName: string;
  readonly stated: string | null;
  readonly capability: Capability;
}

/** Names of what is no tool are a caller's choice. */
const MOST_NAMES = 1_000;

export const createCapabilities = (options: CapabilitiesOptions): CapabilityOf => {
  const byTool = new WeakMap<ListedTool, Known>();
  const byName = new WeakMap<Provider, Map<string, Known>>();

  const find = (provider: Provider, tool: ListedTool | null, flatName: string): Known | undefined =>
    tool ? byTool.get(tool) : byName.get(provider)?.get(flatName);

  const keep = (provider: Provider, tool: ListedTool | null, known: Known): void => {
    if (tool) {
      byTool.set(tool, known);
      return;
    }
    const names = byName.get(provider) ?? new Map<string, Known>();
    if (names.size >= MOST_NAMES) names.clear();
    byName.set(provider, names.set(known.flatName, known));
  };

  return (provider, tool, flatName) => {
    const stated = provider.status().version;
    const known = find(provider, tool, flatName);
    if (known?.flatName === flatName && known.stated === stated) return known.capability;
    const capability = overlaid(deriveCapability(provider, tool, flatName), { provider, tool, flatName }, options);
    keep(provider, tool, { flatName, stated, capability });
    return capability;
  };
};

interface Overlaid {
  readonly provider: Provider;
  readonly tool: ListedTool | null;
  readonly flatName: string;
}

const overlaid = (
  derived: Capability,
  { provider, tool, flatName }: Overlaid,
  { overlays, classifications }: CapabilitiesOptions,
): Capability => {
  const id = overlays.ids.get(flatName) ?? null;
  let capability = derived;
  for (const { source, overlay, fault } of overlays.byTool.get(flatName) ?? []) {
    // Only a definition that cannot change unseen may be given a lower risk than it suggests.
    const mayLowerRisk = source === "host" && provider.unpinned !== true;
    capability =
      overlay === null
        ? {
            ...capability,
            disabled: capability.disabled ?? `What policy.capabilities says about it cannot be read: ${fault}.`,
          }
        : applyOverlay(capability, overlay, { id, mayLowerRisk, riskFloor: tool?.riskFloor ?? null, classifications });
  }
  return capability;
};
