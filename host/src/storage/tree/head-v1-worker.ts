/** The thread that computes heads of scheme v1 and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { headsV1At } from "./head-v1.ts";

const { dir, sequences } = workerData as { readonly dir: string; readonly sequences: readonly number[] };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(headsV1At(dir, sequences));
