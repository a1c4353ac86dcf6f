/**
 * Writes a long evidence log through the host's own log, call by call as the host would. Arguments: work directory, events.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HOST_ID } from "./bailiwick.ts";
import { ROOT } from "./places.ts";

/** What of the host's log is used here. */
interface Log {
  append(draft: object): Promise<unknown>;
  close(): Promise<void>;
}
interface Module {
  readonly openEvidenceLog: (options: object) => Promise<Log>;
}

const AT_ONCE = 1000;
const CAPABILITY = "echo__echo";

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

const recordCall = async (log: Log): Promise<void> => {
  const shared = {
    invocationId: `inv_${hex(16)}`,
    capabilityId: CAPABILITY,
    capabilityVersion: "1.0.0",
    correlation: { id: `corr_${hex(16)}`, causationId: null, parentId: null, traceId: null, fresh: true },
    subject: `{"door": "mcp", "id": "person://owner", "type": "person", "verified": true, "workspace": "ws_default"}`,
    error: "null",
    denial: "null",
  };
  const uri = `"capability_uri": "${CAPABILITY}:1.0.0"`;
  await log.append({
    ...shared,
    type: "execution_started",
    outcome: null,
    payload: `{${uri}, "definition": "sha256:${hex(32)}", "input_bytes": 54, "input_commitment": "${hex(32)}", "tool": "${CAPABILITY}"}`,
  });
  await log.append({
    ...shared,
    type: "execution_completed",
    outcome: "success",
    payload: `{${uri}, "duration_ms": 1, "output_bytes": 82, "output_commitment": "${hex(32)}"}`,
  });
};

const [workDir = "", events = "0"] = process.argv.slice(2);
const module = pathToFileURL(join(ROOT, "host", "dist", "storage", "open-evidence-log.js")).href;
const { openEvidenceLog } = (await import(module)) as Module;
mkdirSync(workDir, { recursive: true, mode: 0o700 });
const log = await openEvidenceLog({ dir: workDir, hostId: HOST_ID, environment: "prod", durability: "batched" });
for (let left = Number(events) / 2; left > 0; left -= AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => recordCall(log)));
}
await log.close();
