/**
 * The load client, a process of its own: a closed loop of as many lanes as calls in flight. It compares every answer, in the
 * warm-up too, and charges the subject's processes for what they used between the two ends of the window.
 * Argument: a LoadJob as JSON. Output: a Load as JSON.
 */
import { type EchoCall, findEchoDefect, writeEcho } from "./echo-call.ts";
import type { Load, LoadJob } from "./load.ts";
import { readTree } from "./process-tree.ts";
import { type Lane, openSession } from "./session.ts";

/** How long calls in flight may still take after the window. */
const DRAIN_MS = 10_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const micros = (): number => Number(process.hrtime.bigint() / 1000n);
const PADDING = "the quick brown fox jumps over the lazy dog";

interface ListAnswer {
  readonly id?: unknown;
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

class Run {
  readonly #job: LoadJob;
  #next = 1;
  #stopping = false;
  #measuring = false;
  #latencies: number[] = [];
  #wrong = 0;
  #firstWrong: string | null = null;

  constructor(job: LoadJob) {
    this.#job = job;
  }

  async measure(): Promise<Load> {
    const session = await openSession(this.#job.target);
    const lanes = Array.from({ length: this.#job.inFlight }, () => session.openLane());
    const loops = Promise.all(lanes.map((lane) => this.#loop(lane)));
    await pause(this.#job.warmUpMs);
    const before = { tree: readTree(this.#job.rootPid), own: process.cpuUsage() };
    const fromMicros = micros();
    this.#measuring = true;
    await pause(this.#job.windowMs);
    this.#measuring = false;
    const toMicros = micros();
    const own = process.cpuUsage(before.own);
    const tree = readTree(this.#job.rootPid);
    this.#stopping = true;
    const drained = await Promise.race([loops.then(() => true), pause(DRAIN_MS).then(() => false)]);
    if (!drained) this.#reject(`a call was not answered within ${DRAIN_MS / 1000} s`);
    await session.close();
    const calls = this.#latencies.length;
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(calls - 1, Math.floor(calls * share))] ?? 0;
    const used = tree !== null && before.tree !== null ? tree.cpuMicros - before.tree.cpuMicros : null;
    return {
      fromMicros,
      toMicros,
      calls,
      perSecond: (calls * 1_000_000) / (toMicros - fromMicros),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      wrong: this.#wrong,
      firstWrong: this.#firstWrong,
      cpuMicrosPerCall: used === null || calls === 0 ? null : used / calls,
      clientCpuMicrosPerCall: calls === 0 ? 0 : (own.user + own.system) / calls,
      rootRssBytes: tree?.rootRssBytes ?? null,
      treeRssBytes: tree?.treeRssBytes ?? null,
    };
  }

  async #loop(lane: Lane): Promise<void> {
    while (!this.#stopping) {
      const id = this.#next++;
      const call = { id, text: `${id} ${PADDING}` };
      const message = this.#message(call);
      const from = performance.now();
      try {
        const answer = await lane.send(id, message);
        const took = performance.now() - from;
        const defect = this.#defect(answer, call);
        if (defect !== null) this.#reject(defect);
        else if (this.#measuring) this.#latencies.push(took);
      } catch (error) {
        this.#reject(String(error));
        // A subject that refuses at once must not turn the loop into a busy one.
        await pause(50);
      }
    }
    lane.close();
  }

  #message(call: EchoCall): string {
    if (this.#job.work.kind === "list") return `{"jsonrpc":"2.0","id":${call.id},"method":"tools/list"}`;
    return writeEcho(this.#job.target, call);
  }

  #defect(answer: string, call: EchoCall): string | null {
    if (this.#job.work.kind === "call") return findEchoDefect(this.#job.target, answer, call);
    const { id: answered, result } = JSON.parse(answer) as ListAnswer;
    if (answered !== call.id) return `asked ${call.id}, answered ${String(answered)}`;
    const found = result?.tools?.filter((tool) => tool.name.includes("echo")).length ?? 0;
    return found === this.#job.work.tools ? null : `${found} tools listed, ${this.#job.work.tools} expected`;
  }

  #reject(reason: string): void {
    this.#wrong++;
    this.#firstWrong ??= reason;
  }
}

try {
  const load = await new Run(JSON.parse(process.argv[2] ?? "") as LoadJob).measure();
  process.stdout.write(JSON.stringify(load), () => process.exit(0));
} catch (error) {
  process.stderr.write(String(error), () => process.exit(1));
}
