/**
 * A program with a signed log that keeps 16 calls going and tells on its output what was acknowledged, until it is killed
 * or an event is refused; then it says so and ends.
 */
import { randomBytes } from "node:crypto";
import { Refusal } from "../kernel/refusal.ts";
import { signerOf } from "../kernel/signing.ts";
import { openEvidenceLog } from "./open-evidence-log.ts";

const log = await openEvidenceLog({
  dir: process.argv[2] ?? "",
  hostId: "test-host",
  environment: "test",
  durability: "before-execution",
  signing: { seed: Buffer.alloc(32, 1), publicKeys: [signerOf(Buffer.alloc(32, 1)).publicKey] },
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
try {
  await Promise.all(Array.from({ length: 16 }, callForever));
} catch (error) {
  const kind = error instanceof Refusal ? error.kind : String(error);
  process.stdout.write(`refused ${kind} ${log.writable() ? "writable" : "unwritable"}\n`);
  await log.close();
}
