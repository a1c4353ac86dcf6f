/**
 * The thread of the evidence log: takes batches one at a time, writes, commits, acknowledges. After a failure it drops the
 * store and opens it again with the next batch or probe. It decides nothing about what is recorded.
 */
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { HostError } from "../kernel/host-error.ts";
import type { DraftFields } from "./draft-fields.ts";
import { EvidenceStore } from "./evidence-store.ts";
import { takeFileLock, type FileLock } from "./file-lock.ts";
import { recoverOpenCalls } from "./recover-open-calls.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.ts";

const BATCHED_COMMIT_MS = 200;

if (parentPort === null) throw new HostError("evidence-worker runs as a worker thread only");
const port = parentPort;
const options = workerData as WorkerOptions;
const waitsForDisk = options.durability !== "batched";

let lock: FileLock | null = null;
let store: EvidenceStore | null = null;
let knownLast = 0;
let timer: NodeJS.Timeout | null = null;

const say = (message: FromWorker): void => port.postMessage(message);
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lockDirectory = (dir: string): FileLock => {
  const taken = takeFileLock(join(dir, "evidence.lock"), 0);
  if (taken !== null) return taken;
  throw new Error(
    "another host is running there. Stop it, or start this one in a work directory of its own (--workdir)",
  );
};

const openStore = (): EvidenceStore => {
  store ??= new EvidenceStore({ ...options, knownLast });
  return store;
};

const dropStore = (): void => {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  store?.abandon();
  store = null;
};

const commit = (open: EvidenceStore): void => {
  open.commit();
  knownLast = open.lastSequence;
};

const commitLater = (open: EvidenceStore): void => {
  timer ??= setTimeout(() => {
    timer = null;
    try {
      commit(open);
    } catch (error) {
      dropStore();
      say({ kind: "lost", reason: reasonOf(error) });
    }
  }, BATCHED_COMMIT_MS);
};

const writeBatch = (fields: DraftFields): void => {
  try {
    const open = openStore();
    const written = open.write(fields);
    if (waitsForDisk) commit(open);
    else commitLater(open);
    say({ kind: "written", first: written.first, eventIds: written.eventIds });
  } catch (error) {
    dropStore();
    say({ kind: "failed", reason: reasonOf(error) });
  }
};

const probe = (): void => {
  try {
    openStore().probe();
    say({ kind: "probed", reason: null });
  } catch (error) {
    dropStore();
    say({ kind: "probed", reason: reasonOf(error) });
  }
};

const close = (): void => {
  let reason: string | null = null;
  try {
    if (timer !== null) clearTimeout(timer);
    store?.close();
  } catch (error) {
    reason = reasonOf(error);
    store?.abandon();
  }
  lock?.release();
  say({ kind: "closed", reason });
  port.close();
};

port.on("message", (message: ToWorker) => {
  if (message === "close") close();
  else if (message === "probe") probe();
  else writeBatch(message);
});

try {
  if (options.durability !== "memory") lock = lockDirectory(options.dir);
  const open = openStore();
  const recovered = recoverOpenCalls(open);
  knownLast = open.lastSequence;
  say({ kind: "opened", recovered, lastSequence: knownLast });
} catch (error) {
  dropStore();
  lock?.release();
  say({ kind: "refused", reason: reasonOf(error) });
  port.close();
}
