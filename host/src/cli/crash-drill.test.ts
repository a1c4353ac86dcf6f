/**
 * kill -9 in the middle of everything, with the built host as a real process: what was acknowledged is recorded, what was
 * not is told apart, nothing is sent twice and nothing is left behind.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";

const ROUNDS = 20;
const CALLERS = 32;

interface Event {
  readonly event_id: string;
  readonly event_type: string;
  readonly invocation_id: string;
  readonly sequence: number;
}

let drill: Drill;
beforeEach(async () => {
  drill = await createDrill(["drill", "other"]);
});
afterEach(() => drill.clean());

const eventsOf = (workDir: string): Event[] => {
  const evidence = openEvidence(workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Event);
  evidence.close();
  return events;
};

const sentTo = (provider: string): string[] => readFileSync(drill.callsFile(provider), "utf8").trim().split("\n");

/** Calls without pause until the host is gone; what was answered is what counts. */
const hammer = async (host: Served, caller: string, acknowledged: Map<string, string>): Promise<void> => {
  for (let i = 0; ; i++) {
    const n = `${caller}.${i}`;
    const answer = await host.call("drill__count", { n }).catch(() => null);
    if (answer === null) return;
    expect(answer.status).toBe(200);
    expect(answer.body.content).toEqual([{ type: "text", text: n }]);
    acknowledged.set(n, answer.body._meta["dev.bailiwick/evidence"] as string);
  }
};

describe("kill -9 of the host under load", () => {
  it(`${ROUNDS} times: every acknowledged call has both records, the chain verifies, no process is left`, async () => {
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      const host = await drill.serve();
      await host.running("drill");
      const callers = Array.from({ length: CALLERS }, (_, i) => hammer(host, `${round}.${i}`, acknowledged));
      // By answers, not by the clock: a slow machine has its load too.
      const enough = acknowledged.size + CALLERS * (1 + 3 * Math.random());
      await drill.until(() => acknowledged.size > enough);
      await sleep(Math.random() * 50);
      host.kill();
      await Promise.all(callers);
      expect(await drill.leftovers(2_500)).toEqual([]);
    }
    await (await drill.serve()).stop();

    const events = eventsOf(drill.workDir);
    const byId = new Map(events.map((event) => [event.event_id, event]));
    const byCall = Map.groupBy(
      events.filter((event) => event.event_type.startsWith("execution_")),
      (event) => event.invocation_id,
    );
    expect(acknowledged.size).toBeGreaterThan(ROUNDS * CALLERS);
    for (const id of acknowledged.values()) {
      const types = byCall.get(byId.get(id)!.invocation_id)!.map((event) => event.event_type);
      expect(types).toEqual(["execution_started", "execution_completed"]);
    }
    for (const [, ofCall] of byCall) {
      expect(ofCall).toHaveLength(2);
      expect(ofCall[0]!.event_type).toBe("execution_started");
      expect(ofCall[1]!.event_type).toMatch(/^execution_(completed|indeterminate)$/);
    }
    const sent = sentTo("drill");
    expect(new Set(sent).size).toBe(sent.length);
    for (const n of acknowledged.keys()) expect(sent).toContain(n);
    const evidence = openEvidence(drill.workDir);
    expect(evidence.verify()).toMatchObject({ valid: true, count: events.length });
    evidence.close();
  }, 240_000);
});

describe("a provider that dies in mid-call", () => {
  it("is `indeterminate` for its caller, was sent once, is unnoticed by the others, and is back within 2 s", async () => {
    const host = await drill.serve();
    await Promise.all([host.running("drill"), host.running("other")]);
    const others = new Map<string, string>();
    const ending = new AbortController();
    const steady = (async () => {
      for (let i = 0; !ending.signal.aborted; i++) {
        const answer = await host.call("other__count", { n: `o${i}` });
        expect(answer.status).toBe(200);
        others.set(`o${i}`, "");
      }
    })();
    const before = Date.now();
    const lost = await host.call("drill__die", { n: "lost" });
    expect(lost.status).toBe(502);
    expect(lost.body).toMatchObject({ error: "indeterminate" });
    expect(lost.body.remedy).not.toBe("");
    const again = await host.call("drill__count", { n: "after" });
    expect(again.status).toBe(200);
    expect(Date.now() - before).toBeLessThan(2_000);
    ending.abort();
    await steady;
    expect(others.size).toBeGreaterThan(0);
    expect(sentTo("drill")).toEqual(["lost", "after"]);
    await host.stop();
    const types = eventsOf(drill.workDir).map((event) => event.event_type);
    expect(types.filter((type) => type === "execution_indeterminate")).toHaveLength(1);
    expect(types).toContain("dev.bailiwick.bundle_crashed");
  });

  it("gets a call of an idempotent tool a second time and no third, both attempts in evidence", async () => {
    const host = await drill.serve();
    await host.running("drill");
    const lost = await host.call("drill__die-again", { n: "twice" });
    expect(lost.body).toMatchObject({ error: "indeterminate" });
    expect(sentTo("drill")).toEqual(["twice", "twice"]);
    await host.stop();
    const types = eventsOf(drill.workDir).map((event) => event.event_type);
    const ofCall = types.filter((type) => /execution|attempt/.test(type));
    expect(ofCall).toEqual(["execution_started", "dev.bailiwick.attempt_lost", "execution_indeterminate"]);
  });
});

describe("a clean stop", () => {
  it("leaves no process, no announcement and exit code 0, also with a call open", async () => {
    const host = await drill.serve();
    await host.running("drill");
    const open = host.call("drill__wait", { n: "open" }).catch(() => null);
    await drill.until(() => sentTo("drill").includes("open"));
    expect(await host.stop()).toBe(0);
    await open;
    expect(await drill.leftovers(0)).toEqual([]);
    expect(() => readFileSync(join(drill.workDir, "run", "host.json"))).toThrow("ENOENT");
    const ended = eventsOf(drill.workDir).filter((event) => event.event_type === "execution_indeterminate");
    expect(ended).toHaveLength(1);
  });
});
