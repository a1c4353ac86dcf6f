/** Which features the reader has: those whose tools are there and not switched off. Facts, not wishes. Pure. */
import type { SurfaceFacts } from "../../kernel/tool-facts.ts";
import type { SwitchedFeatures } from "./server-document.ts";

const TOOLS: Readonly<
  Record<Exclude<keyof SwitchedFeatures, "resource_providers" | "generator_plugins">, readonly string[]>
> = {
  content_generation: ["generate_content", "regenerate_content", "preview_generation"],
  artifact_assembly: ["assemble_artifact"],
  config_lifecycle: ["draft_config", "test_config", "save_config", "modify_config"],
  batch_operations: ["batch_generate_content"],
  ephemeral_storage: ["query_ephemeral_storage", "cleanup_ephemeral", "delete_content"],
};

/** States in which no call of a tool is taken. */
const OFF: ReadonlySet<string> = new Set(["disabled", "suspended", "unavailable"]);

/** `hasRoot`: there is a folder that configs and artifacts can be written to. */
export const featuresOf = (facts: SurfaceFacts, hasRoot: boolean): SwitchedFeatures => {
  const on = new Set(
    facts.tools
      .filter(({ provider, lifecycle }) => provider === "compose" && !OFF.has(lifecycle.state))
      .map(({ tool }) => tool.name),
  );
  const has = (feature: keyof typeof TOOLS): boolean => TOOLS[feature].every((name) => on.has(name));
  const generates = has("content_generation");
  return {
    content_generation: generates,
    artifact_assembly: hasRoot && has("artifact_assembly"),
    config_lifecycle: hasRoot && has("config_lifecycle"),
    batch_operations: has("batch_operations"),
    ephemeral_storage: has("ephemeral_storage"),
    resource_providers: facts.uris().some(({ provider, uri }) => provider === "compose" && uri.startsWith("content:")),
    // Plug-ins make texts where texts are made.
    generator_plugins: generates,
  };
};
