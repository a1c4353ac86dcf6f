/**
 * Work directories as the measurements of compose find them: plug-in generators, saved configs, stored versions, bundles with
 * many tools.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "./places.ts";

/** The plug-in that waits before it answers, and for how long. */
export const WAITER = "waiter";
export const WAIT_MS = 200;

const pluginText = (type: string, waitMs: number): string => `export default {
  type: ${JSON.stringify(type)},
  version: "1.0.0",
  description: "Answers with its own name.",
  status: "stable",
  capabilities: ["naming"],
  indicators: { config_field: "generation.patterns[0].type", config_values: [${JSON.stringify(type)}], confidence: "high" },
  requirements: { fields: ["elements"] },
  best_for: ["benchmarks"],
  async generate({ config }) {
    await new Promise((resolve) => setTimeout(resolve, ${waitMs}));
    return \`\${config.id} by ${type}\`;
  },
};
`;

/** The first of them is the one that waits. */
export const writePlugins = (workDir: string, count: number): void => {
  const folder = join(workDir, "plugins", "generators");
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++) {
    const type = index === 0 ? WAITER : `named-${index}`;
    writeFileSync(join(folder, `${type}.generator.mjs`), pluginText(type, index === 0 ? WAIT_MS : 0));
  }
};

export const contentIds = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `content-${i}`);

/** Below the first root; all of one pattern. */
export const writeConfigs = (root: string, ids: readonly string[], pattern: object): void => {
  for (const id of ids) {
    const folder = join(root, "configs", "content", id);
    mkdirSync(folder, { recursive: true });
    const config = {
      type: "content",
      id,
      schemaRef: { id: "content", version: "1.0" },
      metadata: { description: "For the bench.", version: "1.0.0", output_format: "markdown" },
      elements: [{ name: "text" }],
      generation: { patterns: [{ id: "main", ...pattern }] },
    };
    writeFileSync(join(folder, `${id}-content.json`), JSON.stringify(config));
  }
};

/** As the host writes them, `each` of every content, a second apart. */
export const writeVersions = (workDir: string, ids: readonly string[], each: number): void => {
  const from = Date.now() - each * 1000;
  for (const id of ids) {
    const folder = join(workDir, "workspaces", "ws_default", "data", "compose", "ephemeral", id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (let index = 0; index < each; index++) {
      const timestamp = new Date(from + index * 1000).toISOString();
      const text = `${id}, text ${index}, as it was made for the bench.`;
      const digest = (of: string): string => createHash("sha256").update(of).digest("hex");
      const meta = {
        content_id: id,
        version_id: timestamp,
        timestamp,
        format: "markdown",
        size_bytes: Buffer.byteLength(text),
        content_hash: digest(text).slice(0, 12),
        generator: "template_fill",
        generator_version: "1.0.0",
        config_digest: `sha256:${digest(id)}`,
        context_digest: `sha256:${digest(String(index))}`,
        context_variables: ["number"],
        approved: false,
      };
      const name = join(folder, timestamp.replaceAll(/[:.]/g, "-"));
      writeFileSync(`${name}.markdown`, text, { mode: 0o600 });
      writeFileSync(`${name}.meta.json`, JSON.stringify(meta), { mode: 0o600 });
    }
  }
};

const wireTool = (index: number): object => ({
  name: `look-up-${index}`,
  title: `Look up ${index}`,
  description: "Looks a thing up by its name. It reads nothing, writes nothing and remembers nothing.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "What to look up." },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10, description: "How many at most." },
    },
    required: ["name"],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
});

/** Bundles of `list-server`, which have so many tools together. */
export const writeBundles = (home: string, { bundles, tools }: { bundles: number; tools: number }): object[] =>
  Array.from({ length: bundles }, (_, index) => {
    const name = `lists-${index}`;
    const directory = join(home, name);
    mkdirSync(directory, { recursive: true });
    const file = join(directory, "tools.json");
    writeFileSync(file, JSON.stringify(Array.from({ length: tools / bundles }, (_tool, at) => wireTool(at))));
    const mcp = { command: process.execPath, args: [program("list-server"), file] };
    const server = { type: "node", entry_point: "tools.json", mcp_config: mcp };
    const manifest = { manifest_version: "0.3", name, version: "1.0.0", description: name, author: { name: "bench" } };
    writeFileSync(join(directory, "manifest.json"), JSON.stringify({ ...manifest, server }));
    return { path: directory, serverName: name };
  });
