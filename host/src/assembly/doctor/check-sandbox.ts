/** Whether processes can be shut in where the configuration asks for it, and which run without. */
import type { Config } from "@bailiwick/contract";
import { findBwrap } from "../../bundles/sandbox/find-bwrap.ts";
import { fail, ok, warn, type Check } from "./check.ts";

const FIX = "Install bubblewrap (Debian: apt install bubblewrap), or set the sandbox's profile to off.";

export const checkSandbox = async (
  { bundles }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Check[]> => {
  const processes = bundles.filter((entry) => entry.kind !== "url");
  const wanted = processes.filter(({ sandbox }) => sandbox.profile === "bwrap");
  if (wanted.length === 0) {
    return processes.length === 0 ? [] : [ok("sandbox", "off: the processes of bundles run as you")];
  }
  const found = await findBwrap(env["PATH"] ?? "");
  if (found.ok) return [ok("sandbox", `bubblewrap shuts in ${wanted.length} of ${processes.length} bundles`)];
  const refused = wanted.filter(({ sandbox }) => sandbox.require).length;
  if (refused > 0) return [fail("sandbox", `${found.reason}; ${refused} bundles are refused for it.`, FIX)];
  return [warn("sandbox", `${found.reason}; ${wanted.length} bundles run without a sandbox.`, FIX)];
};
