/** A bundle with the drill server in a test's own folder, as an entry of a configuration. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("../../test/fixtures/drill-server.mjs", import.meta.url));

/** What the server was sent stands in `<dir>/calls`. */
export const writeDrillBundle = (dir: string): { readonly path: string; readonly env: Record<string, string> } => {
  const path = join(dir, "drill");
  mkdirSync(path);
  writeFileSync(join(dir, "calls"), "");
  const manifest = {
    manifest_version: "0.3",
    name: "drill",
    version: "1.0.0",
    description: "A drill server.",
    author: { name: "drill" },
    server: { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [SERVER] } },
  };
  writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
  return { path, env: { DRILL_CALLS: join(dir, "calls") } };
};
