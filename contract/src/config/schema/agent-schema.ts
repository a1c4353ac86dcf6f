/** Keys of the agent: models, limits of a run, profiles, skills, conversations, composing. */
import * as z from "zod/mini";
import { flag, headers, integer, line, path, url, withDefault } from "./basics.ts";

const agentProfile = z.object({
  description: z.string(),
  systemPrompt: z.string(),
  tools: z.array(z.string()),
  maxIterations: z.optional(integer(1, 25)),
  model: z.optional(line),
});

const limit = (highest: number) => withDefault(integer(1, highest), highest);

export const agentKeys = {
  model: z.prefault(
    z.object({ provider: withDefault(line, "anthropic"), apiKey: z.optional(z.string()), baseURL: z.optional(url) }),
    {},
  ),
  providers: withDefault(
    z.record(
      line,
      z.object({
        type: z.enum(["anthropic", "openai-compatible"]),
        apiKey: z.optional(z.string()),
        baseURL: z.optional(z.string()),
        headers,
      }),
    ),
    {},
  ),
  defaultModel: withDefault(line, "claude-sonnet-4-5-20250929"),
  maxIterations: withDefault(integer(1, 25), 10),
  maxInputTokens: withDefault(integer(1000), 500_000),
  maxOutputTokens: withDefault(integer(1), 16_384),
  maxDirectTools: withDefault(integer(0), 30),
  skillDirs: withDefault(z.array(path), []),
  agents: withDefault(z.record(line, agentProfile), {}),
  identity: z.optional(z.string()),
  store: z.optional(z.object({ type: z.enum(["jsonl", "memory"]), dir: z.optional(path) })),
  features: z.prefault(
    z.object({
      bundleManagement: flag(true),
      skillManagement: flag(true),
      delegation: flag(true),
      toolDiscovery: flag(true),
      bundleDiscovery: flag(true),
      mcpServer: flag(true),
    }),
    {},
  ),
  compose: z.prefault(
    z.object({
      limits: z.prefault(
        z.object({
          max_content_size_bytes: limit(10_000_000),
          max_artifact_components: limit(100),
          ephemeral_retention_days: limit(30),
          max_batch_size: limit(50),
        }),
        {},
      ),
      codeGeneration: z.prefault(z.object({ provider: z.optional(line) }), {}),
    }),
    {},
  ),
};
