/** A program that keeps 16 calls going, tells on its output what was acknowledged, and waits to be killed. */
import { randomBytes } from "node:crypto";
import { openEvidenceLog } from "./open-evidence-log.ts";

const log = await openEvidenceLog({
  dir: process.argv[2] ?? "",
  hostId: "test-host",
  environment: "test",
  durability: "before-execution",
});
process.stdout.write(`recovered ${log.recovered}\n`);

const callForever = async (): Promise<never> => {
  for (;;) {
    const id = randomBytes(8).toString("hex");
    const base = {
      invocationId: `inv_${id}`,
      capabilityId: "everything__echo",
      capabilityVersion: null,
      correlation: { id: `corr_${id}`, causationId: null, parentId: null, traceId: null, fresh: true },
      payload: '{"capability_uri": "everything__echo:0.0.0"}',
      subject: '{"id": "agent://x"}',
      error: "null",
      denial: "null",
    };
    const started = await log.append({ ...base, type: "execution_started", outcome: null });
    process.stdout.write(`${started.eventId}\n`);
    const completed = await log.append({ ...base, type: "execution_completed", outcome: "success" });
    process.stdout.write(`${completed.eventId}\n`);
  }
};
await Promise.all(Array.from({ length: 16 }, callForever));
