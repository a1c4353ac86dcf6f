import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { fixtureManifest, makeBundle, makeWorkDir, runBundles, untilRunning } from "./bundles-for-tests.ts";

const require = createRequire(import.meta.url);
const PACKAGES = ["everything", "filesystem", "memory"].map((name) => `@modelcontextprotocol/server-${name}`);

test("servers from npm run side by side as path bundles with a manifest", async () => {
  const dir = makeWorkDir();
  const bundles = PACKAGES.map((name) => {
    const program = join(dirname(require.resolve(`${name}/package.json`)), "dist", "index.js");
    const manifest = fixtureManifest(name);
    const mcp_config = { command: "node", args: [program, "${user_config.root}"] };
    manifest["server"] = { type: "node", entry_point: program, mcp_config };
    manifest["user_config"] = { root: { type: "directory", title: "Root", description: "d" } };
    makeBundle(dir, name.replace("/", "-"), manifest);
    return { path: name.replace("/", "-"), userConfig: name.endsWith("filesystem") ? { root: dir } : {} };
  });
  const running = await runBundles(dir, { bundles });
  const providers = ["server-everything", "server-filesystem", "server-memory"].map(running.provider);
  await Promise.all(providers.map(untilRunning));
  const tools = providers.map((provider) => provider.catalogue().tools.map((tool) => tool.name));
  expect(tools[0]).toContain("echo");
  expect(tools[1]).toContain("read_text_file");
  expect(tools[2]).toContain("create_entities");
  await running.bundles.stop();
  expect(running.bundles.status().map((each) => each.state)).toEqual(["stopped", "stopped", "stopped"]);
});
