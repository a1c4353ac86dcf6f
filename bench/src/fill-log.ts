/**
 * Writes a long evidence log through the host's own log, call by call as the host would, the last calls as ones that are made
 * once, whose answers are kept. Arguments: work directory, events, calls with a kept answer.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { HOST_ID } from "./bailiwick.ts";
import { importHost } from "./import-host.ts";

/** What of the host's log is used here. */
interface Log {
  append(draft: object, beside?: object): Promise<{ readonly sequence: number }>;
  close(): Promise<void>;
}
interface Module {
  readonly openEvidenceLog: (options: object) => Promise<Log>;
}

const AT_ONCE = 1000;
const CAPABILITY = "echo__echo";

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

/** As long as those of an echo call: what the event that begins it says of a call made once, and the answer before it is sealed. */
const BINDING = "b".repeat(22);
const ANSWER_TEXT = "a".repeat(101);

const recordCall = async (log: Log, isKept: boolean): Promise<void> => {
  const key = hex(16);
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
  const started = {
    ...shared,
    type: "execution_started",
    outcome: null,
    payload: `{${uri}, "definition": "sha256:${hex(32)}", "input_bytes": 54, "input_commitment": "${hex(32)}", ${isKept ? `"once": "${key}.${BINDING}", ` : ""}"tool": "${CAPABILITY}"}`,
  };
  const completed = {
    ...shared,
    type: "execution_completed",
    outcome: "success",
    payload: `{${uri}, "duration_ms": 1, "output_bytes": 82, "output_commitment": "${hex(32)}"}`,
  };
  const { sequence } = await log.append(started);
  const reply = { key, text: ANSWER_TEXT, begun: { sequence, count: 1, eventIds: [] } };
  await log.append(completed, isKept ? { reply } : {});
};

const [workDir = "", events = "0", kept = "0"] = process.argv.slice(2);
const { openEvidenceLog } = await importHost<Module>("storage/open-evidence-log");
mkdirSync(workDir, { recursive: true, mode: 0o700 });
const log = await openEvidenceLog({ dir: workDir, hostId: HOST_ID, environment: "prod", durability: "batched" });
for (let left = Number(events) / 2; left > 0; left -= AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => recordCall(log, left <= Number(kept))));
}
await log.close();
process.stdout.write("null");
