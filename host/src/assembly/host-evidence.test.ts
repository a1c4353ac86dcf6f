/** Evidence as a program reads it, of the host in its own process and of one in another: the same. */
import { expect, test } from "vitest";
import { startAgent } from "./agent-host-for-tests.ts";
import { attachHost } from "./attach-host.ts";
import type { EvidenceControl } from "./evidence-control.ts";

const textOf = async (parts: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const part of parts) text += part;
  return text;
};

test("events, one event, the trace, the check and the export of what a program did", async () => {
  const { place, ...host } = await startAgent();
  const metadata = { ticket: 7 };
  place.stub.script([{ calls: [{ name: "desk__echo", input: { n: 1 } }] }, { text: "Done." }]);
  const { runId } = await host.chat("go", { metadata, fileRefs: [], app: { appName: "Desk", serverName: "desk" } })
    .result;
  const own: EvidenceControl = host.evidence;
  const attached = attachHost({ origin: host.origin, key: host.key });
  for (const evidence of [own, attached.evidence]) {
    const page = await evidence.events({ correlation: runId, limit: 1 });
    expect(page.events).toMatchObject([{ event_type: "dev.bailiwick.run_ended" }]);
    const older = await evidence.events({ correlation: runId, before: page.before ?? 0 });
    expect(older.events.at(-1)).toMatchObject({ event_type: "dev.bailiwick.run_started", payload: { metadata } });
    const id = String(page.events[0]?.["event_id"]);
    expect(await evidence.event(id)).toMatchObject({ event_id: id });
    await expect(evidence.event("evt_none")).rejects.toMatchObject({ kind: "not_found" });
    expect(JSON.stringify(await evidence.trace(runId))).toContain("desk");
    expect(await evidence.verify(runId)).toMatchObject({ valid: true });
    const lines = (await textOf(evidence.export({ correlation: runId }))).trim().split("\n");
    expect(lines.some((line) => line.includes("run_started"))).toBe(true);
    await expect(textOf(evidence.export({ format: "bundle" }))).rejects.toMatchObject({ kind: "bad_request" });
    expect((await evidence.events()).events.length).toBeGreaterThan(1);
  }
  place.stub.script([{ text: "Done." }]);
  expect((await attached.chat("again", { metadata }).result).response).toBe("Done.");
});
