/** Finds the built-in bash bundle: it comes with the host, and nothing is asked of anybody. */
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Located } from "../located.ts";

/** What an entry calls it. */
export const BASH_NAME = "@nimblebraininc/bash";

export const locateBash = (hostVersion: string): Located => {
  const built = !import.meta.url.endsWith(".ts");
  const script = fileURLToPath(new URL(built ? "./bash-server.js" : "./bash-server.ts", import.meta.url));
  return {
    directory: dirname(script),
    manifest: {
      manifest_version: "0.3",
      name: BASH_NAME,
      version: hostVersion,
      description: "Runs shell commands.",
      author: { name: "Bailiwick" },
      server: {
        type: "node",
        entry_point: basename(script),
        mcp_config: { command: "node", args: [`\${__dirname}/${basename(script)}`] },
      },
    },
    digest: null,
    cached: false,
    origin: "built-in",
    trustScore: null,
    certificationLevel: null,
  };
};
