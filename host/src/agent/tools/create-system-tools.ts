/**
 * The provider `nb` of one workspace: the tools by which an agent finds tools and bundles, manages bundles and skills and hands
 * on work. They pass the gates like anybody's. One that is switched off stays listed, with the reason.
 */
import { createBuiltIn, type BuiltInTool } from "../../kernel/built-in.ts";
import type { Provider } from "../../kernel/provider.ts";
import { bundleStatusTool } from "./bundle-status.ts";
import { delegateTool } from "./delegate.ts";
import { discoverBundlesTool } from "./discover-bundles.ts";
import { discoverToolsTool } from "./discover-tools.ts";
import { manageBundleTool } from "./manage-bundle.ts";
import { manageSkillTool } from "./manage-skill.ts";
import type { SystemFeatures, SystemToolPorts } from "./system-tool-ports.ts";

/** What the features show is listed anew when the provider's catalogue is asked for: announce a change of them. */
export const createSystemTools = (ports: SystemToolPorts): Provider => {
  const switched = (feature: keyof SystemFeatures, tool: BuiltInTool): BuiltInTool => {
    const off = {
      state: "disabled",
      reason: `It is switched off: features.${feature} is false in the configuration.`,
      next: `Go on without it, or ask the operator to set features.${feature} to true.`,
    } as const;
    return { ...tool, barred: () => (ports.features()[feature] ? null : off) };
  };
  const tools = [
    switched("toolDiscovery", discoverToolsTool(ports)),
    switched("bundleDiscovery", discoverBundlesTool(ports)),
    switched("bundleManagement", manageBundleTool(ports)),
    bundleStatusTool(ports),
    switched("delegation", delegateTool(ports)),
    switched("skillManagement", manageSkillTool(ports)),
  ];
  return createBuiltIn({ name: "nb", version: ports.version, tools });
};
