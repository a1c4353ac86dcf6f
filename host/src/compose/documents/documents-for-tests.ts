/** Facts that the tests of the capability documents start from. */
import { definitionOf } from "../../kernel/definition-of.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";
import type { ListedGenerator } from "./generators-document.ts";
import type { ServerFacts } from "./server-document.ts";
import type { DescribedTool } from "./tool-entry.ts";

export const VERSION = "1.2.3";

const listedTool = (value: Readonly<Record<string, unknown>>): ListedTool => ({
  name: String(value["name"]),
  definition: definitionOf(value),
  json: rawJson(JSON.stringify(value)),
  value,
});

export const describedTool = (value: Readonly<Record<string, unknown>> = {}): DescribedTool => {
  const tool = listedTool({ name: "echo", description: "Says it again.", inputSchema: { type: "object" }, ...value });
  return {
    name: `demo__${tool.name}`,
    flatName: `demo__${tool.name}`,
    category: "bundle",
    provider: "demo",
    tool,
    version: "0.1.0",
    lifecycle: { state: "invokable", reason: null, next: null },
    required: [],
    missing: [],
    risk: "low",
    approvalRequired: false,
    timeoutMs: 60_000,
  };
};

export const GENERATORS: readonly ListedGenerator[] = BUILT_IN_GENERATORS.map((entry) => ({
  entry,
  availability: { status: "available" },
}));

export const SERVER: ServerFacts = {
  name: "bailiwick",
  version: VERSION,
  mcpVersions: ["2026-07-28", "2025-11-25"],
  features: {
    content_generation: true,
    artifact_assembly: true,
    config_lifecycle: true,
    batch_operations: true,
    ephemeral_storage: true,
    resource_providers: true,
    generator_plugins: true,
  },
  limits: {
    max_content_size_bytes: 10_000_000,
    max_artifact_components: 100,
    ephemeral_retention_days: 30,
    max_batch_size: 50,
  },
  concurrency: {
    max_concurrent_generations: 8,
    max_concurrent_assemblies: 4,
    queue_size: 100,
    timeout_seconds: 300,
  },
  runtime: { platform: "linux", node: "24.21.0", mcpSdk: "2.4.0" },
  counts: { tools: 17, resources: 5, generators: 5 },
};
