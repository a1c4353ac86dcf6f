/**
 * Heads of scheme v1 while the host runs: computed on a short-lived thread, one at a time, remembered by sequence. What is
 * asked for meanwhile is computed together afterwards.
 */
import { Worker } from "node:worker_threads";

const MAX_KNOWN = 256;

const compute = (dir: string, sequences: readonly number[]): Promise<(string | null)[]> =>
  new Promise((resolve, reject) => {
    const built = !import.meta.url.endsWith(".ts");
    const url = new URL(built ? "./head-v1-worker.js" : "./head-v1-worker.ts", import.meta.url);
    const worker = new Worker(url, { workerData: { dir, sequences } });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that computes the head has ended")));
  });

export class StoreHeads {
  readonly #dir: string;
  readonly #known = new Map<number, string>();
  #waiting = new Map<number, PromiseWithResolvers<string | null>>();
  #running = false;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Null when the log has gone on and nobody asked for the head at this sequence while it was there. */
  at(sequence: number): Promise<string | null> {
    const known = this.#known.get(sequence);
    if (known !== undefined) return Promise.resolve(known);
    const waiting = this.#waiting.get(sequence) ?? Promise.withResolvers<string | null>();
    this.#waiting.set(sequence, waiting);
    if (!this.#running) void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting].toSorted(([a], [b]) => a - b);
      this.#waiting = new Map();
      try {
        const heads = await compute(
          this.#dir,
          asked.map(([sequence]) => sequence),
        );
        for (const [i, [sequence, waiting]] of asked.entries()) {
          const head = heads[i] ?? null;
          if (head !== null) this.#remember(sequence, head);
          waiting.resolve(head);
        }
      } catch (error) {
        for (const [, waiting] of asked) waiting.reject(error);
      }
    }
    this.#running = false;
  }

  #remember(sequence: number, head: string): void {
    this.#known.set(sequence, head);
    if (this.#known.size <= MAX_KNOWN) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}
