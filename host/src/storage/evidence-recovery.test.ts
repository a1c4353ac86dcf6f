import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { draft, ended, openLog, temporaryDir } from "./evidence-for-tests.ts";
import { CARRY_AFTER } from "./open-calls.ts";
import { openEvidenceReader } from "./read-evidence.ts";
import { TreeReader } from "./tree/tree-reader.ts";
import { verifyEvidence } from "./verify-evidence.ts";

interface Event {
  event_id: string;
  event_type: string;
  invocation_id: string;
  outcome: string | null;
  payload: unknown;
  subject: unknown;
}

const CRASHER = fileURLToPath(new URL("./crash-for-tests.ts", import.meta.url));

const readAll = (dir: string): { lines: string[]; events: Event[] } => {
  const reader = openEvidenceReader(dir);
  const lines = [...reader.range(1, reader.last())];
  reader.close();
  return { lines, events: lines.map((line) => JSON.parse(line) as Event) };
};

/** Runs the program, kills it -9 once it has acknowledged `acknowledged` events, and returns what it said. */
const crash = async (dir: string, acknowledged: number): Promise<string[]> => {
  const child = spawn(process.execPath, [CRASHER, dir], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.split("\n").length > acknowledged) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return said.split("\n").slice(0, -1);
};

describe("after a crash", () => {
  it("has every acknowledged event, ends each open call as indeterminate, verifies, and has true checkpoints", async () => {
    const dir = temporaryDir();
    const acknowledged = new Set<string>();
    for (const after of [1, 40, 200, 1200, 20]) for (const id of await crash(dir, after)) acknowledged.add(id);
    const log = await openLog(dir);
    await log.close();
    const { lines, events } = readAll(dir);
    const ids = new Set(events.map((event) => event.event_id));
    expect([...acknowledged].filter((id) => id.startsWith("evt_") && !ids.has(id))).toEqual([]);
    const ends = new Map<string, number>();
    for (const event of events) {
      const step = event.event_type === "execution_started" ? 0 : 1;
      ends.set(event.invocation_id, (ends.get(event.invocation_id) ?? 0) + step);
    }
    expect(new Set(ends.values())).toEqual(new Set([1]));
    const lost = events.filter((event) => event.event_type === "execution_indeterminate");
    expect(lost.length).toBeGreaterThan(0);
    for (const event of lost) {
      expect(event).toMatchObject({
        outcome: "indeterminate",
        payload: { capability_uri: "everything__echo:0.0.0", reason: "host_restarted" },
        subject: { id: "agent://x" },
      });
    }
    expect(verifyEvidence(lines)).toMatchObject({ valid: true, count: events.length });
    const tree = new TreeReader(dir);
    const checkpoints = tree
      .checkpoints(0, 100)
      .map((text) => JSON.parse(text) as { tree_size: number; root_hash: string });
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const { tree_size: size, root_hash: root } of checkpoints) expect(root).toBe(tree.root(size));
    tree.close();
  });

  it("ends a call that had been open for very long, and does it once", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const [forgotten, slow, recent] = [draft(), draft(), draft()];
    await Promise.all([log.append(forgotten), log.append(slow)]);
    const noise = async (): Promise<void> => {
      await Promise.all(Array.from({ length: CARRY_AFTER }, () => log.append(draft({ type: "noted" }))));
    };
    await noise();
    await noise();
    await log.append(ended(slow));
    await log.append(recent);
    await log.close();
    const again = await openLog(dir);
    expect(again.recovered).toBe(2);
    await again.close();
    const third = await openLog(dir);
    expect(third.recovered).toBe(0);
    const { lines, events } = readAll(dir);
    const lost = events.filter((event) => event.event_type === "execution_indeterminate");
    expect(lost.map((event) => event.invocation_id)).toEqual([forgotten.invocationId, recent.invocationId]);
    expect(verifyEvidence(lines).valid).toBe(true);
  });

  it("counts calls that share an invocation id one by one", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const call = draft({ correlationId: "shared" });
    await log.append(call);
    await log.append(call);
    await log.append(call);
    await log.append(ended(call));
    await log.close();
    expect((await openLog(dir)).recovered).toBe(2);
  });
});

describe("a call that is open", () => {
  const started = (who: string) =>
    draft({ invocationId: "inv_x", correlationId: "job-42", subject: `{"door": "chp", "id": "${who}"}` });
  const refused = (type: string, who: string) => ({ ...started(who), type, outcome: "denied" as const });

  it.each([
    ["execution_denied", "agent://mallory"],
    ["execution_completed", "agent://mallory"],
    ["execution_denied", "agent://alice"],
    ["execution_skipped", "agent://alice"],
    ["execution_failed", "agent://alice"],
  ])("is not ended by an %s of %s under the same two ids that never began", async (type, who) => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await log.append(started("agent://alice"));
    await log.append(refused(type, who));
    const order = { correlationIds: ["job-42"], policy: "requested" };
    expect((await log.purge(order)).kept).toEqual([{ correlationId: "job-42", reason: "open" }]);
    await log.close();
    const again = await openLog(dir);
    expect(again.recovered).toBe(1);
    await again.close();
    expect(readAll(dir).events.at(-1)).toMatchObject({
      event_type: "execution_indeterminate",
      subject: { id: "agent://alice" },
    });
    expect((await openLog(dir)).recovered).toBe(0);
  });

  it.each(["execution_denied", "execution_failed"])(
    "is ended by its own %s, at whichever door that came",
    async (type) => {
      const dir = temporaryDir();
      const log = await openLog(dir);
      await log.append(started("agent://alice"));
      const end = { ...refused(type, "agent://alice"), subject: '{"door": "mcp", "id": "agent://alice"}' };
      await log.append({ ...end, payload: '{"duration_ms": 3}' });
      await log.close();
      expect((await openLog(dir)).recovered).toBe(0);
    },
  );
});
