/**
 * Measures one subject at every number of calls in flight. A subject that cannot run, or answers wrongly, is a finding too.
 */
import type { SubjectFinding } from "./findings.ts";
import { stopAll } from "./launch.ts";
import { measure } from "./measure.ts";
import type { Subject } from "./subject.ts";
import type { Timing } from "./timing.ts";

const IN_FLIGHT = [1, 32, 64] as const;

export const runSubject = async (subject: Subject, home: string, timing: Timing): Promise<SubjectFinding> => {
  const { id, title, note, kind } = subject;
  try {
    const { target, launched } = await subject.start(home);
    const loads = [];
    for (const inFlight of IN_FLIGHT) {
      const job = { target, work: { kind: "call" }, inFlight, ...timing, rootPid: launched.pid } as const;
      loads.push({ inFlight, load: await measure(job) });
    }
    return { id, title, note, kind, loads: { value: loads } };
  } catch (error) {
    return { id, title, note, kind, loads: { failure: error instanceof Error ? error.message : String(error) } };
  } finally {
    await stopAll();
  }
};
