/** Every way a call can end leaves exactly the events that are promised for it, each valid against the published schema. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { writeDrillBundle } from "./drill-bundle-for-tests.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

const read = (path: string): object =>
  JSON.parse(readFileSync(new URL(`../../test/chp-schemas/${path}`, import.meta.url), "utf8")) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(read("correlation-context.schema.json"));
const isEvent = ajv.compile(read("evidence-event.schema.json"));

interface Event {
  readonly event_type: string;
  readonly event_id: string;
  readonly outcome: string | null;
  readonly capability_id: string;
  readonly denial: { code: string; details: Record<string, unknown> } | null;
  readonly error: { code: string } | null;
}

let dir: string;
let host: Host;
let seen = 0;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-refusals-"));
  host = await createHost({ workDir: join(dir, "work"), noDefaultBundles: true, bundles: [writeDrillBundle(dir)] });
  await host.start();
  const drill = () => host.providers().find(({ name }) => name === "drill");
  await vi.waitUntil(() => drill()?.status.state === "running", { timeout: 10_000 });
  newEvents();
});
afterAll(async () => {
  await host.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** What was written since the last look, apart from what the host says of itself. */
const newEvents = (): Event[] => {
  const evidence = openEvidence(join(dir, "work"));
  const lines = [...evidence.range(seen + 1, evidence.last())];
  seen = evidence.last();
  evidence.close();
  for (const line of lines) expect([isEvent(JSON.parse(line)), isEvent.errors]).toEqual([true, null]);
  return lines.map((line) => JSON.parse(line) as Event).filter((event) => event.capability_id !== "dev.bailiwick.host");
};

describe("a call is recorded when it", () => {
  it("succeeds: intent and outcome", async () => {
    const answer = await host.call("drill__count", { n: 1 });
    const events = newEvents();
    expect(events.map((event) => [event.event_type, event.outcome])).toEqual([
      ["execution_started", null],
      ["execution_completed", "success"],
    ]);
    expect(events[1]?.event_id).toBe(answer.evidenceId);
  });

  it("names no tool that there is: one denial, with the name made safe", async () => {
    const answer = await host.call('no such "tool"\n', {});
    const [event, ...others] = newEvents();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ event_type: "execution_denied", denial: { code: "capability_not_found" } });
    expect(event?.capability_id).toMatch(/^[A-Za-z0-9_.:-]+$/);
    expect(event?.event_id).toBe(answer.evidenceId);
  });

  it("has arguments that are not valid, however long the names in them are", async () => {
    const schemaLess = await host.call("drill__strict", { ["k".repeat(3_000_000)]: 1 });
    expect(schemaLess).toMatchObject({ outcome: "denied", ending: { refusal: { kind: "invalid_input" }, stage: 7 } });
    const [event] = newEvents();
    expect(event?.denial).toMatchObject({ code: "input_schema_validation_failed", details: { stage: 7 } });
  });

  it("has a name of three million characters", async () => {
    const answer = await host.call(`drill__${"n".repeat(3_000_000)}`, {});
    expect(answer.evidenceId).not.toBeNull();
    expect(newEvents()).toHaveLength(1);
  });

  it("ends in an error of the tool: failure, never success", async () => {
    const answer = await host.call("drill__fail", { n: 2 });
    expect(answer.ending).toMatchObject({ kind: "result", isError: true });
    expect(newEvents().at(-1)).toMatchObject({ event_type: "execution_failed", error: { code: "tool_error" } });
  });

  it("meets a provider that somebody stopped: one skip, and nothing is sent", async () => {
    await host.bundles.stop("drill");
    newEvents();
    const sent = readFileSync(join(dir, "calls"), "utf8");
    const answer = await host.call("drill__count", { n: 3 });
    expect(answer).toMatchObject({ outcome: "skipped", ending: { refusal: { kind: "unavailable" }, stage: 4 } });
    expect(newEvents().map((event) => event.event_type)).toEqual(["execution_skipped"]);
    expect(readFileSync(join(dir, "calls"), "utf8")).toBe(sent);
    expect(host.tools().find((tool) => tool.name === "drill__count")).toMatchObject({ state: "unavailable" });
  });

  it("and the whole log verifies", () => {
    const evidence = openEvidence(join(dir, "work"));
    expect(evidence.verify()).toMatchObject({ valid: true, count: evidence.last() });
    evidence.close();
  });
});
